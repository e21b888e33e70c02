import { assertEquals, assertMatch, assertObjectMatch } from "@std/assert";
import { FAKE_START, settle } from "../../../support/fakes/fake_clock.ts";
import { flowSource, logs, sleeps, taskSource } from "../../../support/flows/flow_sources.ts";
import { Harness } from "../../../support/harness.ts";
import { EventReader } from "../../event_reader.ts";

const FLOW = flowSource(
  "talk",
  logs("first", "one\nline"),
  logs("second", "two", "WARN"),
  taskSource("third", "core.debug.Return", "format: three"),
);
const SLOW = flowSource("slow", logs("before"), sleeps("wait", "PT1M"), logs("after"));

Deno.test("GET /logs/:executionId lists the entries, oldest first", async () => {
  await using server = await Harness.start();
  const { id, taskRunList } = await server.run(FLOW);
  const entries = await server.json("GET", `/logs/${id}`) as unknown as Record<string, unknown>[];
  assertEquals(entries.slice(0, 2).map(({ message }) => message), ["one\nline", "two"]);
  assertObjectMatch(entries[0] ?? {}, {
    namespace: "demo",
    flowId: "talk",
    executionId: id,
    taskId: "first",
    taskRunId: taskRunList[0]?.id,
    attemptNumber: 0,
    timestamp: new Date(FAKE_START).toISOString(),
    level: "INFO",
  });
});

const FILTERS: readonly (readonly [string, string])[] = [
  ["minLevel=INFO", "first second"],
  ["minLevel=warn", "second"],
  ["minLevel=ERROR", ""],
  ["minLevel=TRACE", "first second third"],
  ["taskId=second", "second"],
  ["taskId=__proto__", ""],
  ["attempt=0&minLevel=WARN", "second"],
  ["attempt=1", ""],
  ["filters[level][IN]=DEBUG,WARN", "second third"],
  ["filters[q][EQUALS]=two&minLevel=INFO", "second"],
  ["filters[taskId][EQUALS]=second", "second"],
  ["filters[taskId][IN]=first,third", "first third"],
  ["filters[taskRunId][NOT_EQUALS]=none&filters[attemptNumber][EQUALS]=0", "first second third"],
  ["filters[attemptNumber][EQUALS]=1", ""],
  ["q=two", "second"],
  ["level=WARN", "second"],
  ["minLevel=INFO&q=one", "first"],
  ["namespace=demo&flowId=talk", "first second third"],
  ["namespace=other", ""],
  ["startDate=2999-01-01T00:00:00Z", ""],
  ["endDate=2999-01-01T00:00:00Z&level=INFO", "first second"],
  ["filters[or][0][q][EQUALS]=two&filters[or][1][q][EQUALS]=three", "second third"],
];
for (const [query, tasks] of FILTERS) {
  Deno.test(`GET /logs/:executionId?${query} lists ${tasks || "nothing"}`, async () => {
    await using server = await Harness.start();
    const { id } = await server.run(FLOW);
    const entries = await server.json("GET", `/logs/${id}?${query}`) as { taskId: string }[];
    assertEquals(entries.map(({ taskId }) => taskId).join(" "), tasks);
  });
}

for (
  const query of [
    "minLevel=LOUD",
    "attempt=-1",
    "attempt=x",
    "level=LOUD",
    "startDate=soon",
    "filters[labels][EQUALS]=a:b",
    "filters[level][REGEX]=a",
  ]
) {
  Deno.test(`GET /logs/:executionId?${query} returns 400`, async () => {
    await using server = await Harness.start();
    const response = await server.request("GET", `/logs/${"A".repeat(22)}?${query}`);
    await response.body?.cancel();
    assertEquals(response.status, 400);
  });
}

for (const id of ["nothing", "A".repeat(22)]) {
  Deno.test(`GET /logs/${id} of an unknown execution lists nothing`, async () => {
    await using server = await Harness.start();
    assertEquals(await server.json("GET", `/logs/${id}`), []);
  });
}

Deno.test("GET /logs/:executionId/download returns a file of lines", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(FLOW);
  const response = await server.request("GET", `/logs/${id}/download?minLevel=INFO`);
  assertEquals(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assertEquals(response.headers.get("content-disposition"), `attachment; filename="${id}.log"`);
  const at = new Date(FAKE_START).toISOString();
  assertEquals(await response.text(), `${at} INFO  one\nline\n${at} WARN  two\n`);
});

Deno.test("GET /logs/:executionId/download puts nothing of the path into its header", async () => {
  await using server = await Harness.start();
  const response = await server.request("GET", "/logs/x%22%0d%0aset-cookie:%20a=b/download");
  assertEquals(await response.text(), "");
  assertEquals(response.headers.get("content-disposition"), 'attachment; filename="execution.log"');
});

Deno.test("GET /logs/:executionId/follow replays, follows, and ends with the execution", async () => {
  await using server = await Harness.start();
  await server.save(SLOW);
  const { id } = await server.start("slow");
  await using reader = new EventReader(await server.request("GET", `/logs/${id}/follow`));
  await settle();
  assertEquals(reader.ids, "start progress progress");
  assertEquals(reader.events[0]?.data, { executionId: id, namespace: "demo", flowId: "slow" });
  assertObjectMatch(reader.events[1]?.data, { message: "before", level: "INFO" });
  assertObjectMatch(reader.events[2]?.data, { message: "Waiting for PT1M" });
  await server.advance(61_000);
  assertEquals([reader.ids, reader.isEnded], ["start progress progress progress", true]);
  assertObjectMatch(reader.events[3]?.data, { message: "after" });
});

Deno.test("GET /logs/:executionId/follow sends what passes the filter", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(FLOW);
  await using reader = new EventReader(await server.request("GET", `/logs/${id}/follow?minLevel=WARN`));
  await settle();
  assertEquals(reader.events.slice(1).map(({ data }) => data.message), ["two"]);
  assertEquals(reader.isEnded, true);
});

Deno.test("GET /logs/:executionId/follow holds nothing when the client is gone", async () => {
  await using server = await Harness.start();
  await server.save(SLOW);
  const { id } = await server.start("slow");
  await settle();
  const timers = server.clock.timerCount;
  await using reader = new EventReader(await server.request("GET", `/logs/${id}/follow`));
  await settle();
  await reader.leave();
  assertEquals(server.clock.timerCount, timers);
});

Deno.test("GET /logs/:executionId/follow of an unknown execution returns 404", async () => {
  await using server = await Harness.start();
  const answer = server.request("GET", `/logs/${"A".repeat(22)}/follow`);
  await server.advance(11_000);
  const response = await answer;
  assertEquals(response.status, 404);
  assertMatch((await response.json()).message, /^Not Found: /);
});

Deno.test("DELETE /logs/:executionId deletes the entries of an execution that has ended", async () => {
  await using server = await Harness.start();
  const { id } = await server.run(FLOW);
  const response = await server.request("DELETE", `/logs/${id}`);
  assertEquals([response.status, await response.text()], [200, ""]);
  assertEquals(await server.json("GET", `/logs/${id}`), []);
});

Deno.test("DELETE /logs/:executionId refuses a live execution; an unknown one has nothing to delete", async () => {
  await using server = await Harness.start();
  await server.save(SLOW);
  const { id } = await server.start("slow");
  const paths = [[`/logs/${id}`, 409], ["/logs/nothing", 200], [`/logs/${"A".repeat(22)}`, 200]] as const;
  for (const [path, status] of paths) {
    const response = await server.request("DELETE", path);
    await response.body?.cancel();
    assertEquals(response.status, status);
  }
});

const LOG = "io.svc.plugin.core.log.Log";

/** Flows whose task runs are removed while their lines stay, by how that happens; `{text}` is a part of a message. */
const REMOVALS: readonly (readonly [string, string, Readonly<Record<string, number>>])[] = [
  [
    "passes of a LoopUntil",
    `tasks:
  - id: loop
    type: io.svc.plugin.core.flow.LoopUntil
    condition: "{{ outputs.loop.iterationCount >= 3 }}"
    checkFrequency: {interval: PT1S}
    tasks: [{id: a, type: ${LOG}, message: "a {text}"}, {id: b, type: ${LOG}, message: "b {text}"}]
`,
    { a: 3, b: 3 },
  ],
  [
    "a restart",
    `tasks: [{id: b, type: io.svc.plugin.core.execution.Fail}]
errors: [{id: e, type: ${LOG}, message: "e {text}"}]
finally: [{id: f, type: ${LOG}, message: "f {text}"}]
`,
    { e: 2, f: 2 },
  ],
];

for (const [how, members, counts] of REMOVALS) {
  for (const length of [10, 3_000]) {
    Deno.test(`lines of ${length} characters name their task after ${how}, also after a crash`, async () => {
      await using server = await Harness.start();
      await server.save(`id: f\nnamespace: demo\n${members.replaceAll("{text}", "x".repeat(length))}`);
      const { id } = await server.start("f");
      for (let second = 0; second < 3; second++) await server.advance(1_000);
      if (how === "a restart") await server.request("POST", `/executions/${id}/restart`);
      await settle();
      await using next = await server.crash();
      for (const [taskId, count] of Object.entries(counts)) {
        const lines = await next.json("GET", `/logs/${id}?taskId=${taskId}`) as unknown as {
          taskId: string;
        }[];
        assertEquals(lines.map((line) => line.taskId), Array<string>(count).fill(taskId));
      }
    });
  }
}
