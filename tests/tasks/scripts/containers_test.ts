/** Script tasks in real containers, over the API, with Podman. */
import { assertEquals, assertMatch } from "@std/assert";
import { Harness, type HarnessOptions } from "../../support/harness.ts";
import { containersWith, podmanProblem, TEST_IMAGE } from "../../support/processes/containers.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { yaml } from "../../support/flows/request_bodies.ts";
import { ServerProcess } from "../../support/processes/server_process.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const problem = await podmanProblem();

const DOCKER = "io.kestra.plugin.scripts.runner.docker.Docker";

interface Ended {
  readonly state: string;
  readonly outputs: Record<string, unknown>;
  readonly lines: readonly string[];
}

async function run(app: Harness, source: string): Promise<Ended> {
  const { id: flowId } = await app.save(source);
  const { id } = await app.start(String(flowId), {}, "?wait=true");
  const execution = await app.execution(id);
  const logs = await app.json("GET", `/logs/${id}`) as { level: string; message: string }[];
  return {
    state: execution.state.current,
    outputs: execution.taskRunList.at(-1)?.outputs ?? {},
    lines: logs.map(({ level, message }) => `${level} ${message}`),
  };
}

function flow(id: string, properties: string, commands: readonly string[]): string {
  const list = commands.map((command) => `\n      - ${JSON.stringify(command)}`).join("");
  return `id: ${id}
namespace: demo
tasks:
  - id: t
    type: io.kestra.plugin.scripts.shell.Commands
    ${properties.replaceAll("\n", "\n    ")}
    commands:${list}
`;
}

const PODMAN: HarnessOptions = { containerRuntime: "podman" };
const OFFLINE = `taskRunner: {type: ${DOCKER}, pullPolicy: NEVER, networkMode: none}`;

Deno.test("a task that names an image runs in a container, with its files, variables and outputs", async (test) => {
  if (problem !== undefined) return void await test.step({ name: problem, ignore: true, fn() {} });
  await using app = await Harness.start(PODMAN);
  const properties = `containerImage: ${TEST_IMAGE}
${OFFLINE}
inputFiles: {in.txt: "hello {{ flow.id }}"}
outputFiles: [out.txt]
env: {A: "1"}`;
  const commands = [
    "cat in.txt; echo",
    'echo "$A" > out.txt',
    `echo '::{"outputs":{"n":5}}::'`,
    "echo problem >&2",
  ];
  const { state, outputs, lines } = await run(app, flow("works", properties, commands));
  assertMatch(
    lines[0] ?? "",
    /^DEBUG Runs in a container of podman \S+: image "localhost\/sluice-test\/busybox:1", /,
  );
  assertEquals(lines.slice(1).toSorted(), ["ERROR problem", "INFO hello works"]);
  assertEquals([state, outputs.vars, outputs.exitCode], ["WARNING", { n: 5 }, 0]);
  assertEquals(Object.keys(outputs.outputFiles as object), ["out.txt"]);
});

Deno.test("the older docker property chooses image and options", async (test) => {
  if (problem !== undefined) return void await test.step({ name: problem, ignore: true, fn() {} });
  await using app = await Harness.start(PODMAN);
  const properties =
    `dockerOptions: {image: "${TEST_IMAGE}", user: "{{ 1200 + 34 }}", pullPolicy: NEVER, networkMode: none}`;
  const { state, lines } = await run(app, flow("older", properties, ["id -u", "exit 3"]));
  assertEquals([state, ...lines.slice(1)], [
    "FAILED",
    "INFO 1234",
    "ERROR Command failed with exit code 3",
  ]);
});

Deno.test("a kill of the execution removes its container", async (test) => {
  if (problem !== undefined) return void await test.step({ name: problem, ignore: true, fn() {} });
  await using app = await Harness.start(PODMAN);
  await app.save(flow("long", `containerImage: ${TEST_IMAGE}\n${OFFLINE}`, ["sleep 1000000"]));
  const { id } = await app.start("long");
  const containers = () => containersWith(`sluice.execution=${id}`);
  await until(async () => (await containers()).length === 1);
  await app.json("DELETE", `/executions/${id}/kill`);
  // The shell of the container ignores the first signal.
  await until(async () => (await app.advance(3_000), (await containers()).length === 0));
});

Deno.test("no container is left when the server is killed", async (test) => {
  if (problem !== undefined) return void await test.step({ name: problem, ignore: true, fn() {} });
  await withTempDir(async (dataDir) => {
    // A machine may have a user for scripts, for which containers are refused.
    const args = ["--container-runtime", "podman", ...Deno.uid() === 0 ? ["--script-user", "root"] : []];
    await using server = await ServerProcess.start({ dataDir, args });
    const source = flow("long", `containerImage: ${TEST_IMAGE}\n${OFFLINE}`, ["sleep 1000000"]);
    await server.json("POST", "/flows", yaml(source));
    const { id } = await server.json<{ readonly id: string }>("POST", "/executions/demo/long");
    const containers = () => containersWith(`sluice.execution=${id}`);
    await until(async () => (await containers()).length === 1);
    await server.kill();
    await until(async () => (await containers()).length === 0);
  });
});
