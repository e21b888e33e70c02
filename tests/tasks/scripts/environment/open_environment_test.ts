/** The interpreter of Python tasks, with fake interpreters on the PATH. */
import { assertEquals } from "@std/assert";
import { type ExecutionResponse, Harness } from "../../../support/harness.ts";
import { runTasks } from "../../../support/flows/task_runs.ts";
import { withTempDir, writeProgram } from "../../../support/temp_dir.ts";

const SYSTEM_PATH = "/usr/bin:/bin";

/** A fake interpreter of that version: it says what it is, or prints its version and its arguments. */
function pythonOf(version: string): string {
  return `#!/bin/sh
if [ "$1" = -c ] && [ "$2" != x ]; then
  case "${version}." in "$3"*) ;; *) exit 3 ;; esac
  echo '{"path": "'"$0"'", "version": "${version}"}'
  exit 0
fi
name=\${1##*/}
echo "${version} runs \${name#.sluice-*.} $2"
`;
}

/** Fake interpreters by command name. `python3.13` is a stub that cannot run, as some version managers install. */
const PYTHONS: Readonly<Record<string, string>> = {
  "python3": pythonOf("3.11.2"),
  "python3.12": pythonOf("3.12.5"),
  "python3.13": "#!/bin/sh\necho 'not installed' >&2\nexit 127\n",
};

async function runIn(app: Harness, task: string): Promise<readonly string[]> {
  const { state, lines } = await runTasks(app, task);
  return [state, ...lines];
}

function taskOf(type: string, folder: string, members: readonly string[]): string {
  return [
    `  - id: a`,
    `    type: io.kestra.plugin.scripts.python.${type}`,
    `    env: {PATH: "${folder}:${SYSTEM_PATH}", HOME: "${folder}", PYENV_ROOT: "${folder}"}`,
    ...members.map((member) => `    ${member}`),
    "",
  ].join("\n");
}

function refusal(version: string, program = `python${version}`): string {
  return `WARN Cannot run with Python "${version}": no "${program}" works on the PATH of the script, so "python3" runs (Python 3.11.2); ` +
    "install that version, add its folder to PATH in `env`, or let the task run in a container that has it";
}

const SCRIPT = "script: print(1)";

/** Type of the task, its members, its state and log. */
const RUNS:
  readonly (readonly [name: string, type: string, members: readonly string[], ...ends: string[]])[] = [
    ["without a version", "Script", [SCRIPT], "SUCCESS", "INFO 3.11.2 runs script.py "],
    [
      "an installed version",
      "Script",
      ["pythonVersion: '3.12'", SCRIPT],
      "SUCCESS",
      "INFO 3.12.5 runs script.py ",
    ],
    ["a number", "Script", ["pythonVersion: 3.12", SCRIPT], "SUCCESS", "INFO 3.12.5 runs script.py "],
    [
      "an expression",
      "Script",
      [`pythonVersion: "3.{{ 6 * 2 }}"`, SCRIPT],
      "SUCCESS",
      "INFO 3.12.5 runs script.py ",
    ],
    ["a major version", "Script", ["pythonVersion: '3'", SCRIPT], "SUCCESS", "INFO 3.11.2 runs script.py "],
    ["an empty one", "Script", ["pythonVersion: ''", SCRIPT], "SUCCESS", "INFO 3.11.2 runs script.py "],
    [
      "a missing version",
      "Script",
      ["pythonVersion: '3.99'", SCRIPT],
      "SUCCESS",
      refusal("3.99"),
      "INFO 3.11.2 runs script.py ",
    ],
    [
      "a version that does not start",
      "Script",
      ["pythonVersion: '3.13'", SCRIPT],
      "SUCCESS",
      refusal("3.13"),
      "INFO 3.11.2 runs script.py ",
    ],
    [
      "an invalid version is never run",
      "Script",
      ["pythonVersion: '3; echo no'", SCRIPT],
      "SUCCESS",
      refusal("3; echo no"),
      "INFO 3.11.2 runs script.py ",
    ],
    [
      "commands without a version",
      "Commands",
      ["pythonVersion: '3.12'", "commands: [python3 -m one, python -m two, 'env python -m three']"],
      "SUCCESS",
      "INFO 3.12.5 runs -m one",
      "INFO 3.12.5 runs -m two",
      "INFO 3.12.5 runs -m three",
    ],
    [
      "the version of a known image",
      "Script",
      ["containerImage: python:3.12-slim", SCRIPT],
      "SUCCESS",
      "INFO 3.12.5 runs script.py ",
    ],
    [
      "the version of the task rather than of the image",
      "Script",
      ["containerImage: python:3.11-slim", "pythonVersion: '3.12'", SCRIPT],
      "SUCCESS",
      "INFO 3.12.5 runs script.py ",
    ],
    [
      "a known image whose version is missing",
      "Script",
      ["containerImage: python:3.99-slim", SCRIPT],
      "SUCCESS",
      refusal("3.99").replace('"3.99"', '"3.99" of the image "python:3.99-slim"'),
      "INFO 3.11.2 runs script.py ",
    ],
    [
      "an image of another language",
      "Script",
      ["containerImage: 'node:20'", SCRIPT],
      "SUCCESS",
      "INFO 3.11.2 runs script.py ",
    ],
    [
      "the packages of a known image",
      "Script",
      ["containerImage: ghcr.io/kestra-io/kestrapy", SCRIPT],
      "SUCCESS",
      "INFO 3.11.2 runs packages.py pip",
      "INFO 3.11.2 runs script.py ",
    ],
    [
      "an interpreter other than a shell",
      "Commands",
      ["pythonVersion: '3.99'", "interpreter: [python3.12, -c]", "commands: [x]"],
      "SUCCESS",
      "INFO 3.12.5 runs -c x",
    ],
    [
      "dependencies",
      "Script",
      ["pythonVersion: '3.12'", "dependencies: [x]", "dependencyCacheEnabled: false", SCRIPT],
      "SUCCESS",
      "INFO 3.12.5 runs packages.py pip",
      "INFO 3.12.5 runs script.py ",
    ],
    [
      "dependencies of a missing version",
      "Script",
      ["pythonVersion: '3.99'", "dependencies: [x]", "dependencyCacheEnabled: false", SCRIPT],
      "SUCCESS",
      refusal("3.99"),
      "INFO 3.11.2 runs packages.py pip",
      "INFO 3.11.2 runs script.py ",
    ],
  ];

for (const [name, type, members, ...ends] of RUNS) {
  Deno.test(`openEnvironment() with Python: ${name}`, async () => {
    await withTempDir(async (folder) => {
      for (const [command, text] of Object.entries(PYTHONS)) {
        await writeProgram(`${folder}/${command}`, text);
      }
      await using app = await Harness.start();
      assertEquals(await runIn(app, taskOf(type, folder, members)), ends);
    });
  });
}

Deno.test("openEnvironment() leaves no files, and each version has its own packages", async () => {
  await withTempDir(async (folder) => {
    for (const [command, text] of Object.entries(PYTHONS)) {
      await writeProgram(`${folder}/${command}`, text);
    }
    await using app = await Harness.start();
    const members = ["outputFiles: ['**', '.*/**']", SCRIPT];
    await app.save(
      `id: files\nnamespace: demo\ntasks:\n${
        taskOf("Script", folder, ["pythonVersion: '3.12'", ...members])
      }`,
    );
    const { taskRunList } = await app.start("files", {}, "?wait=true") as unknown as ExecutionResponse;
    assertEquals(taskRunList[0]?.outputs.outputFiles, {});
    const lines: string[] = [];
    for (const version of ["3", "3.12", "3"]) {
      const further = [`pythonVersion: '${version}'`, "dependencies: [x]", SCRIPT];
      lines.push(...await runIn(app, taskOf("Script", folder, further)));
    }
    const ran = (version: string, args: string) => `INFO ${version} runs ${args}`;
    const installs = "packages.py pip";
    assertEquals(lines, [
      ...["SUCCESS", ran("3.11.2", installs), ran("3.11.2", "script.py ")],
      ...["SUCCESS", ran("3.12.5", installs), ran("3.12.5", "script.py ")],
      ...["SUCCESS", ran("3.11.2", "script.py ")],
    ]);
  });
});
