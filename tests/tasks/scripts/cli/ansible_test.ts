/** `ansible.cli.AnsibleCLI`, with a fake program and, where it is installed, with the real one. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { Harness } from "../../../support/harness.ts";
import { type EndedScript, runScripts } from "../../../support/flows/script_flows.ts";
import { withTempDir, writeProgram } from "../../../support/temp_dir.ts";

const hasAnsible = await new Deno.Command("ansible-playbook", { args: ["--version"] }).output().then(
  () => true,
  () => false,
);

/** Writes `RESULTS` where the callback writes results, and some lines to the log. */
const FAKE = `#!/bin/sh
echo "ansible-playbook $*"
[ -z "$RESULTS" ] || printf '%s' "$RESULTS" > "$SLUICE_RESULTS_FILE"
[ -z "$SIZE" ] || head -c "$SIZE" /dev/zero > "$SLUICE_RESULTS_FILE"
echo "a line of the log" > log
`;

function run(app: Harness, properties: JsonObject): Promise<EndedScript> {
  const task = { id: "c", type: "io.kestra.plugin.ansible.cli.AnsibleCLI", ...properties };
  return runScripts(app, `  - ${JSON.stringify(task)}\n`);
}

Deno.test("AnsibleCLI writes its files, installs what is required and gives results as outputs", async (test) => {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    await writeProgram(`${folder}/ansible-playbook`, FAKE);
    for (const name of ["pip", "ansible-galaxy"]) {
      await writeProgram(`${folder}/${name}`, `#!/bin/sh\necho "\${0##*/} $*"\n`);
    }
    await test.step("configuration, callback and module", async () => {
      const { lines } = await run(app, { commands: ["cat ansible.cfg", "ls callback_plugins library"], env });
      assertEquals(lines.map((line) => line.replace(/ = .*\/log$/, " = DIR/log")), [
        ...["INFO [defaults]", "INFO log_path = DIR/log", "INFO callback_plugins = ./callback_plugins"],
        ...["INFO callbacks_enabled = kestra_logger", "INFO library = ./library"],
        ...["INFO callback_plugins:", "INFO kestra_logger.py", "INFO ", "INFO library:", "INFO kestra.py"],
      ]);
    });
    await test.step("a given configuration", async () => {
      const files = { inputFiles: { "ansible.cfg": "[given]" }, commands: ["cat ansible.cfg; echo"], env };
      assertEquals((await run(app, files)).lines, ["INFO [given]"]);
      assertEquals((await run(app, { ...files, ansibleConfig: "[own]" })).lines, ["INFO [own]"]);
    });
    await test.step("requirements", async () => {
      const given = {
        inputFiles: { "requirements.txt": "a", "requirements.yml": "b" },
        commands: ["ansible-playbook p.yml"],
        env,
      };
      // The environment of the task has a pip of its own.
      const { lines } = await run(app, { ...given, autoInstallPythonRequirements: false });
      assertEquals(lines, ["INFO ansible-galaxy install -r requirements.yml", "INFO ansible-playbook p.yml"]);
      const none = { autoInstallPythonRequirements: false, autoInstallGalaxyRequirements: false };
      assertEquals((await run(app, { ...given, ...none })).lines, ["INFO ansible-playbook p.yml"]);
    });
    await test.step("results and the log", async () => {
      const results = { outputs: [{ msg: "a" }], playbooks: [{ plays: [] }] };
      const given = { commands: ["ansible-playbook p.yml"], outputLogFile: true };
      const { outputs } = await run(app, { ...given, env: { ...env, RESULTS: JSON.stringify(results) } });
      assertEquals([outputs.vars, outputs.playbooks], [results, results.playbooks]);
      assertEquals(Object.keys(outputs.outputFiles as object), ["log"]);
    });
    await test.step("results that are too large", async () => {
      const given = { commands: ["ansible-playbook p.yml"], env: { ...env, SIZE: "600000" } };
      const { outputs, lines, execution } = await run(app, given);
      assertEquals([execution.state.current, outputs.vars], ["SUCCESS", { outputs: [], playbooks: [] }]);
      assertMatch(
        lines.at(-1) ?? "",
        /^WARN The results of the playbooks are left out: they have 600000 bytes/,
      );
    });
  });
});

const PLAYBOOK = `- hosts: all
  gather_facts: false
  tasks:
    - {name: Say, debug: {msg: "hello ü"}}
    - {name: Hide, debug: {msg: secret text}, no_log: true}
    - {name: Declare, kestra: {outputs: {n: 5}}}
    - {name: Skip, debug: {}, when: false}
`;

Deno.test({
  name: "the results of real playbooks become outputs, in the mode EXPLICIT those that are declared",
  ignore: !hasAnsible,
  async fn() {
    await using app = await Harness.start();
    const given = {
      inputFiles: {
        "p.yml": PLAYBOOK,
        "bad.yml": "- {hosts: all, gather_facts: false, tasks: [{fail: {msg: broken}}]}",
      },
      commands: [
        "ansible-playbook -i localhost, -c local p.yml",
        "ansible-playbook -i localhost, -c local bad.yml",
      ],
    };
    const all = await run(app, given);
    assertEquals([all.execution.state.current, all.outputs.exitCode], ["FAILED", 2]);
    const { outputs, playbooks } = all.outputs.vars as {
      outputs: JsonObject[];
      playbooks: { plays: JsonObject[] }[];
    };
    assertEquals(outputs.map(({ msg, outputs }) => msg ?? outputs ?? null), [
      ...["hello ü", null, { n: 5 }, null, "broken"],
    ]);
    assert(!JSON.stringify(all.outputs).includes("secret text"));
    const tasks = playbooks.flatMap(({ plays }) => plays.flatMap(({ tasks }) => tasks as JsonObject[]));
    assertEquals(
      tasks.map(({ uid, hosts }) => [
        uid,
        (hosts as JsonObject[]).map(({ host, status }) => `${host} ${status}`),
      ]),
      [
        ["all | Say", ["localhost ok"]],
        ["all | Hide", ["localhost ok"]],
        ["all | Declare", ["localhost ok"]],
        ["all | Skip", ["localhost skipped"]],
        ["all | fail", ["localhost failed"]],
      ],
    );
    const explicit = await run(app, {
      ...given,
      commands: [given.commands[0] ?? ""],
      outputsMode: "EXPLICIT",
    });
    const vars = explicit.outputs.vars as JsonObject;
    assertEquals([explicit.execution.state.current, vars.outputs], ["SUCCESS", { n: 5 }]);
    assert(!JSON.stringify(vars).includes("hello"));
  },
});
