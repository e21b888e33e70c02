/** Python tasks with the interpreter of a system that manages Python itself (PEP 668), such as Debian, and the real uv. */
import { assertEquals, assertMatch } from "@std/assert";
import { Harness } from "../../../support/harness.ts";
import { moduleWheel, PackageIndex } from "../../../support/servers/package_index.ts";
import { runTasks } from "../../../support/flows/task_runs.ts";

const PUBLIC_INDEX = "https://pypi.org/simple";
const PATH = "/usr/bin:/bin";

/** Why these tests are skipped; `undefined`: they run. */
async function skipReason(): Promise<string | undefined> {
  const list = [...Deno.readDirSync("/usr/lib")].filter(({ name }) => name.startsWith("python3."));
  const isManaged = list.some(({ name }) => exists(`/usr/lib/${name}/EXTERNALLY-MANAGED`));
  if (!isManaged || !exists("/usr/bin/python3")) {
    return "the Python of this machine is not managed by its system";
  }
  try {
    const response = await fetch(`${PUBLIC_INDEX}/uv/`, {
      method: "HEAD",
      signal: AbortSignal.timeout(5_000),
    });
    return response.ok ? undefined : `${PUBLIC_INDEX} responds with ${response.status}`;
  } catch {
    return `${PUBLIC_INDEX} cannot be reached`;
  }
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

const SKIPPED = await skipReason();
if (SKIPPED !== undefined) await say(SKIPPED);

async function say(reason: string): Promise<void> {
  await Deno.stderr.write(new TextEncoder().encode(`Tests of a managed Python are skipped: ${reason}\n`));
}

const SHOW = 'python -c "import probe_package, sys; print(probe_package.__version__, sys.prefix)"';

/** What users write; each prints the version of the installed package and the folder of its environment. */
const TASKS: readonly (readonly [name: string, type: string, members: readonly string[]])[] = [
  [
    "an image and beforeCommands",
    "python.Commands",
    [
      "containerImage: python:slim",
      "beforeCommands: [pip install probe-package]",
      `commands: [${JSON.stringify(SHOW)}]`,
    ],
  ],
  [
    "python -m pip with a requirements file",
    "python.Commands",
    [
      "inputFiles: {requirements.txt: 'probe-package==1.2.3'}",
      `commands: [python -m pip install --user -r requirements.txt, ${JSON.stringify(SHOW)}]`,
    ],
  ],
  ["dependencies", "python.Commands", [
    "dependencies: [probe-package]",
    `commands: [${JSON.stringify(SHOW)}]`,
  ]],
  [
    "a shell task",
    "shell.Commands",
    [`commands: [pip3 install --upgrade pip probe-package, ${JSON.stringify(SHOW)}]`],
  ],
  ["uv", "shell.Commands", [`commands: [uv pip install --system probe-package, ${JSON.stringify(SHOW)}]`]],
];

Deno.test({
  name: "a managed Python: packages are installed in the environment of the task, without a warning",
  ignore: SKIPPED !== undefined,
  async fn(test) {
    await using index = new PackageIndex([moduleWheel("probe_package", "1.2.3")]);
    await using app = await Harness.start();
    const run = async (type: string, members: readonly string[], index: string) => {
      const env = JSON.stringify({
        PATH,
        PIP_INDEX_URL: index,
        PIP_FIND_LINKS: "",
        PIP_CONFIG_FILE: "/dev/null",
      });
      const head = [`  - id: a`, `    type: io.kestra.plugin.scripts.${type}`, `    env: ${env}`];
      return await runTasks(app, [...head, ...members.map((member) => `    ${member}`), ""].join("\n"));
    };
    const fetched = await run("shell.Commands", ["commands: [uv --version]"], PUBLIC_INDEX);
    if (fetched.state !== "SUCCESS") return await say(fetched.lines.join("; "));
    for (const [name, type, members] of TASKS) {
      await test.step(name, async () => {
        const { state, lines } = await run(type, members, index.url);
        assertEquals([state, lines.filter((line) => !line.startsWith("INFO "))], ["SUCCESS", []]);
        assertMatch(lines.at(-1) ?? "", /^INFO 1\.2\.3 .*-1-packages$/);
      });
    }
  },
});
