/** What a script task says of its place: at the head of its log, in the message of a failure, and when its flow is saved. */
import { assertEquals, assertMatch } from "@std/assert";
import { Harness, type HarnessOptions } from "../../support/harness.ts";
import { withTempDir, writeProgram } from "../../support/temp_dir.ts";
import { yaml } from "../../support/flows/request_bodies.ts";

const PROCESS = "taskRunner: {type: io.kestra.plugin.core.runner.Process}";
const UNUSED = "image python:3.11-slim was not used: no container runtime works on this machine " +
  "(the server was started with --container-runtime none); install Docker or Podman on the machine of the server";

function flow(properties: string, type = "shell.Commands", work = "commands: ['exit 3']"): string {
  return `id: s
namespace: demo
tasks:
  - id: t
    type: io.kestra.plugin.scripts.${type}
    ${properties}
    ${work}
`;
}

async function linesOf(source: string, options: HarnessOptions = {}): Promise<string[]> {
  await using app = await Harness.start(options);
  await app.save(source);
  const { id } = await app.start("s", {}, "?wait=true");
  const logs = await app.json("GET", `/logs/${id}`) as { level: string; message: string }[];
  return logs.map(({ level, message }) => `${level} ${message}`);
}

Deno.test("a task whose image cannot be used warns at the head of its log, and names it when it fails", async () => {
  assertEquals(await linesOf(flow("containerImage: python:3.11-slim")), [
    'DEBUG Runs as a process of this machine, interpreter "/bin/sh -c"',
    `WARN The commands run as processes of this machine: ${UNUSED}`,
    `ERROR Command failed with exit code 3; ${UNUSED}`,
  ]);
});

Deno.test("a task that names the Process runner does not miss its image", async () => {
  assertEquals(await linesOf(flow(`containerImage: python:3.11-slim\n    ${PROCESS}`)), [
    'DEBUG Runs as a process of this machine, image "python:3.11-slim" is not used, because the task names the ' +
    'Process runner, interpreter "/bin/sh -c"',
    "ERROR Command failed with exit code 3",
  ]);
});

Deno.test("the head of the log names the program of the language with its version, which is read once", async () => {
  await withTempDir(async (folder) => {
    const calls = `${folder}/calls`;
    const program = `#!/bin/sh\n[ "$1" != --version ] || { echo >> ${calls}; echo Python 3.99.1; }\n`;
    await writeProgram(`${folder}/python3`, program);
    await using app = await Harness.start();
    const env = `env: {PATH: "${folder}:/usr/bin:/bin"}`;
    await app.save(flow(env, "python.Script", "script: pass"));
    for (let count = 0; count < 2; count++) {
      const { id } = await app.start("s", {}, "?wait=true");
      const [head] = await app.json("GET", `/logs/${id}`) as { message: string }[];
      assertMatch(
        head?.message ?? "",
        /process of this machine, Python 3\.99\.1 at ".*\/python3", interpreter/,
      );
    }
    assertEquals(await Deno.readTextFile(calls), "\n");
  });
});

Deno.test("POST /flows and /flows/validate warn of an image that will not be used", async () => {
  await using app = await Harness.start();
  const source = flow("containerImage: python:3.11-slim");
  const expected = [
    `tasks[0].containerImage: ${UNUSED.replace("was not", "is not")}; the commands run as processes`,
  ];
  const [check] = await app.json("POST", "/flows/validate", yaml(source)) as {
    warnings: string[];
    constraints?: string;
  }[];
  assertEquals([check?.warnings, check?.constraints], [expected, undefined]);
  assertEquals((await app.save(source)).warnings, expected);
  const saved = await app.json("GET", "/flows/demo/s") as Record<string, unknown>;
  assertEquals(Object.hasOwn(saved, "warnings"), false);
  const changed = await app.json("PUT", "/flows/demo/s", yaml(`${source}description: changed\n`));
  assertEquals((changed as Record<string, unknown>).warnings, expected);
});

Deno.test("defaults of a flow choose images and task runners, too", async () => {
  await using app = await Harness.start();
  const source = `${flow("")}pluginDefaults:
  - {type: io.kestra.plugin.scripts.shell, values: {containerImage: "alpine:3"}}
`;
  assertMatch(String((await app.save(source)).warnings), /image alpine:3 is not used/);
});
