/** Packages of script tasks, from a local folder instead of a package index. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Harness } from "../../support/harness.ts";
import { moduleWheel } from "../../support/servers/package_index.ts";
import { runTasks, type TaskRuns } from "../../support/flows/task_runs.ts";
import { withTempDir, writeProgram } from "../../support/temp_dir.ts";

const INSTALL_LINE = "INFO 1.2.3";

async function withWheels(use: (folder: string) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    for (const version of ["1.2.3", "2.0.0"]) {
      const { fileName, content } = moduleWheel("probe_package", version);
      await Deno.writeFile(`${folder}/${fileName}`, content);
    }
    await use(folder);
  });
}

function pythonTask(id: string, folder: string, further = "dependencies: [probe_package==1.2.3]"): string {
  return `
- id: ${id}
  type: io.kestra.plugin.scripts.python.Script
  env: {PIP_NO_INDEX: "1", PIP_FIND_LINKS: "${folder}"}
  warningOnStdErr: false
  ${further}
  script: |
    import probe_package, sys
    print(probe_package.__version__)
    print("prefix " + probe_package.__file__.split("/lib/")[0])
`;
}

function prefixes({ lines }: TaskRuns): string[] {
  return lines.filter((line) => line.startsWith("INFO prefix "));
}

Deno.test("ScriptPackages.install() installs the same packages only once", async () => {
  await withWheels(async (folder) => {
    await using app = await Harness.start();
    const inner = ["a", "b"].map((id) => pythonTask(id, folder)).join("").replaceAll("\n", "\n    ");
    const parallel = `\n- id: p\n  type: io.kestra.plugin.core.flow.Parallel\n  tasks:${inner}`;
    const first = await runTasks(app, parallel);
    assertEquals([first.state, first.lines.filter((line) => line === INSTALL_LINE).length], ["SUCCESS", 2]);
    assertEquals(new Set(prefixes(first)).size, 1);
    assertEquals(prefixes(await runTasks(app, pythonTask("c", folder))), prefixes(first).slice(1));
    const other = await runTasks(app, pythonTask("d", folder, "dependencies: [probe_package==2.0.0]"));
    assert(other.lines.includes("INFO 2.0.0"));
    assert(!prefixes(first).includes(prefixes(other)[0] ?? ""));
  });
});

Deno.test("ScriptPackages.install() without the cache installs in the environment of the task", async () => {
  await withWheels(async (folder) => {
    await using app = await Harness.start();
    const properties =
      "{dependencies: [probe_package==1.2.3], dependencyCacheEnabled: false, outputFiles: ['**']}";
    const further = properties.slice(1, -1).replaceAll(/, (dep|out)/g, "\n  $1");
    const first = await runTasks(app, pythonTask("a", folder, further));
    assertEquals(first.state, "SUCCESS");
    assertMatch(prefixes(first)[0] ?? "", /-1-packages$/);
  });
});

/** Behaviours of a failing installer, and the log. */
const FAILURES: readonly (readonly [name: string, python: string | undefined, message: RegExp])[] = [
  [
    "fails",
    "echo no such version; exit 1",
    /^ERROR Cannot install the dependencies "probe_package==1.2.3": pip failed, see its output above \(exit code 1\)$/,
  ],
  [
    "does not reach its index",
    "echo \"connection broken by 'NewConnectionError(...)'\" >&2; exit 1",
    /cannot reach the package index; set its address in `env`, .* \(exit code 1\)$/,
  ],
  ["is missing", undefined, /is missing on this machine; install it, .* \(exit code 127\)$/],
];

for (const [name, python, message] of FAILURES) {
  Deno.test(`ScriptPackages.install() fails the task when the installer ${name}, and retries with the next attempt`, async () => {
    await withTempDir(async (folder) => {
      const calls = `${folder}/calls`;
      const probe = `[ "$1" = -c ] && { echo '{"path": "'"$0"'", "version": "3.11.2"}'; exit 0; }`;
      const text = `#!/bin/sh\n${probe}\necho >> ${calls}\n${python}\n`;
      if (python !== undefined) await writeProgram(`${folder}/python3`, text);
      await using app = await Harness.start();
      for (let count = 1; count <= 2; count++) {
        const task = pythonTask("a", "/none").replace(/env: .*/, `env: {PATH: "${folder}"}`);
        const { state, lines } = await runTasks(app, task);
        assertEquals(state, "FAILED");
        assertMatch(lines.at(-1) ?? "", message);
        if (python !== undefined) assertEquals((await Deno.readTextFile(calls)).length, count);
      }
    });
  });
}

Deno.test("ScriptPackages.install() links packages to where Node.js resolves them", async () => {
  await withTempDir(async (folder) => {
    await Deno.mkdir(`${folder}/bin`);
    // Installs into the current directory, as npm does.
    const npm =
      `#!/bin/sh\nmkdir -p node_modules/probe && echo 'module.exports = "found"' > node_modules/probe/index.js\n`;
    await writeProgram(`${folder}/bin/npm`, npm);
    await using app = await Harness.start();
    const path = `${folder}/bin:${Deno.env.get("PATH")}`;
    const task = (further: string) => `
- id: n
  type: io.kestra.plugin.scripts.node.Script
  env: {PATH: "${path}"}
  dependencies: [probe]
  ${further}
  outputFiles: ["**"]
  script: console.log(require("probe"), require("node:fs").realpathSync("node_modules"))
`;
    const shared = await runTasks(app, task("dependencyCacheEnabled: true"));
    assertMatch(shared.lines.at(-1) ?? "", /^INFO found .*\/shared-\d+\/node_modules$/);
    const again = await runTasks(app, task("dependencyCacheEnabled: true"));
    assertEquals(again.lines.at(-1), shared.lines.at(-1));
    const beside = await runTasks(app, task("inputFiles: {package.json: '{}'}"));
    assertMatch(beside.lines.at(-1) ?? "", /^INFO found .*-1\/node_modules$/);
  });
});
