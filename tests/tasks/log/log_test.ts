import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { RunContext } from "../../../src/model/ports/run_context.ts";
import { fetchLogsTask } from "../../../src/tasks/log/fetch.ts";
import { Harness } from "../../support/harness.ts";
import { CORE, flowOf, logOf, resultsOf, runTasks } from "../core_flows.ts";

const SPEAKERS = ["a log.Log {message: [one, two]}", "b debug.Echo {format: three, level: WARN}"];

/** Properties of a Fetch, and the messages in its file. */
const FETCHES: readonly (readonly [members: string, messages: readonly string[]])[] = [
  ["", ["one", "two", "three"]],
  ["level: WARN", ["three"]],
  ["level: \"{{ '' }}\"", ["one", "two", "three"]],
  ["tasksId: [a]", ["one", "two"]],
  ['executionId: "{{ execution.id }}", tasksId: [a, b], level: ERROR', []],
  ['executionId: "{{ execution.id }}", namespace: demo, flowId: flow', ["one", "two", "three"]],
  ['executionId: "{{ execution.id }}", namespace: demo, flowId: other', []],
];

for (const [members, messages] of FETCHES) {
  Deno.test(`log.Fetch {${members}} stores ${messages.length} lines`, async () => {
    await using app = await Harness.start();
    const execution = await runTasks(app, [
      ...SPEAKERS,
      `f log.Fetch {${members}}`,
      'r debug.Return {format: "{{ read(outputs.f.uri) }}"}',
    ]);
    const { outputs: { size, uri } } = execution.taskRunList[2] as unknown as { outputs: JsonObject };
    assertMatch(String(uri), /^kestra:\/\/\/demo\/flow\/executions\/\w+\/.*\.ion$/);
    assertEquals(size, messages.length);
    const text = String(execution.taskRunList[3]?.outputs.value);
    const lines = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line).message);
    assertEquals(lines, [...messages]);
  });
}

Deno.test("log.Fetch fails for an execution that does not exist", async () => {
  await using app = await Harness.start();
  const execution = await app.run(flowOf("none", ["f log.Fetch {executionId: nobody}"]));
  assertEquals(await logOf(app, execution.id), [
    'ERROR Cannot fetch the log of execution "nobody": it does not exist',
  ]);
});

Deno.test("log.Fetch writes each line before it reads the next one", async () => {
  const calls: string[] = [];
  const entries = async function* () {
    for (const message of ["one", "two", "three"]) {
      calls.push(`read ${message}`);
      yield await Promise.resolve({ message });
    }
  };
  const write = async (_attempt: unknown, _name: string, content: AsyncIterable<Uint8Array>) => {
    for await (const line of content) {
      calls.push(`write ${JSON.parse(new TextDecoder().decode(line)).message}`);
    }
    return { uri: "u", size: 1 };
  };
  const ports = { logs: { entries: () => Promise.resolve(entries()) }, storage: { write } };
  const context = { executionId: "e", tenant: "main", ports } as unknown as RunContext;
  const { outputs } = await fetchLogsTask.run({}, context);
  assertEquals(outputs, { size: 3, uri: "u" });
  assertEquals(calls, ["one", "two", "three"].flatMap((text) => [`read ${text}`, `write ${text}`]));
});

/** Properties of a PurgeLogs, the number of deleted lines, and the remaining lines. */
const PURGES: readonly (readonly [members: string, count: number, left: readonly string[]])[] = [
  ["flowId: flow, namespace: demo", 3, []],
  ["namespace: demo, logLevels: [WARN]", 1, ["INFO one", "INFO two"]],
  ["namespace: dem", 0, ["INFO one", "INFO two", "WARN three"]],
  ["purgeExecutionLogs: false", 0, ["INFO one", "INFO two", "WARN three"]],
  ["startDate: '2030-01-01'", 0, ["INFO one", "INFO two", "WARN three"]],
];

for (const [members, count, left] of PURGES) {
  Deno.test(`log.PurgeLogs {${members}} deletes ${count} lines`, async () => {
    await using app = await Harness.start();
    const old = await runTasks(app, SPEAKERS);
    await app.advance(1_000);
    const purging = await app.run(flowOf("purge", [`p log.PurgeLogs {endDate: "{{ now() }}", ${members}}`]));
    const counts = { count, executionLogsCount: count, nonExecutionLogsCount: 0 };
    assertEquals(resultsOf(purging).p, `SUCCESS ${JSON.stringify(counts)}`);
    assertEquals(await logOf(app, old.id), [...left]);
  });
}

Deno.test("log.PurgeLogs keeps the order of the remaining lines of a long log", async () => {
  await using app = await Harness.start();
  const long = "x".repeat(3_000);
  const messages = Array.from({ length: 20 }, (_, index) => `${index}${long}`);
  const old = await runTasks(app, [
    `a log.Log {message: [${messages.join(", ")}]}`,
    "w log.Log {message: gone, level: WARN}",
    "z log.Log {message: last}",
  ]);
  await app.advance(1_000);
  const members = `endDate: "{{ now() }}", executionId: ${old.id}, logLevels: [WARN]`;
  const purging = await app.run(flowOf("purge", [`p log.PurgeLogs {${members}}`]));
  assertEquals(resultsOf(purging).p, 'SUCCESS {"count":1,"executionLogsCount":1,"nonExecutionLogsCount":0}');
  assertEquals(await logOf(app, old.id), [...messages, "last"].map((text) => `INFO ${text}`));
});

Deno.test("debug.Echo logs at its level, flow.Sleep how long it waits", async () => {
  await using app = await Harness.start();
  const execution = await app.run(flowOf("echo", [
    'e debug.Echo {format: "{{ 1 + 1 }}", level: ERROR}',
    "s flow.Sleep {duration: PT1.5S}",
    `{id: quiet, type: ${CORE}log.Log, message: a, logLevel: WARN}`,
    "bad debug.Echo {format: a, level: \"{{ 'LOUD' }}\"}",
  ]));
  await app.advance(2_000);
  assertEquals(await logOf(app, execution.id), [
    "ERROR 2",
    "INFO Waiting for PT1.5S",
    'ERROR Invalid level "LOUD": it must be one of TRACE, DEBUG, INFO, WARN, ERROR',
  ]);
});
