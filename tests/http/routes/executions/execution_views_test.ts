import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

function source(id: string, namespace = "demo", more = ""): string {
  return `id: ${id}\nnamespace: ${namespace}\n${more}tasks:\n` +
    '  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: "x,\\"y"\n';
}

function failing(id: string): string {
  return `id: ${id}\nnamespace: demo\ntasks:\n  - id: a\n    type: io.svc.plugin.core.execution.Fail\n`;
}

function slow(id: string, limit: number): string {
  return `id: ${id}\nnamespace: demo\nconcurrency:\n  limit: ${limit}\ntasks:\n` +
    "  - id: wait\n    type: io.svc.plugin.core.flow.Sleep\n    duration: PT1M\n";
}

/** Two flows of `demo`, one of which fails, one of `demo.team`; each has run. */
async function startWithExecutions(): Promise<Harness> {
  const server = await Harness.start();
  await server.run(source("one"));
  await server.run(failing("two"));
  await server.save(source("three", "demo.team"));
  await server.json("POST", "/executions/demo.team/three");
  await settle();
  return server;
}

Deno.test("POST /executions/latest returns the latest execution of each flow that has one", async () => {
  await using server = await startWithExecutions();
  await server.advance(1_000);
  const { id } = await server.start("one");
  await settle();
  await server.save(source("never"));
  const keys = [{ namespace: "demo", id: "two" }, { namespace: "demo", flowId: "one", x: 1 }, {
    namespace: "demo",
    id: "never",
  }, { namespace: "demo", id: "unknown" }];
  const latest = await server.json("POST", "/executions/latest", json(keys)) as Record<string, unknown>[];
  assertEquals(latest.map(({ namespace, flowId, status }) => [namespace, flowId, status]), [
    ["demo", "two", "FAILED"],
    ["demo", "one", "SUCCESS"],
  ]);
  assertEquals(latest[1], {
    id,
    flowId: "one",
    namespace: "demo",
    startDate: new Date(server.clock.now()).toISOString(),
    status: "SUCCESS",
  });
});

const BAD_REQUESTS: readonly (readonly [string, string, RequestInit, number, string])[] = [
  ["POST", "/executions/latest", json({}), 422, "must be a list"],
  ["POST", "/executions/latest", json([{ namespace: "demo" }]), 422, '"namespace" and an "id"'],
  [
    "POST",
    "/executions/latest",
    json(Array.from({ length: 1_001 }, () => ({ namespace: "a", id: "b" }))),
    422,
    "at most 1000",
  ],
  ["GET", "/executions/distinct-field-values", {}, 400, '"field" is missing'],
  ["GET", "/executions/distinct-field-values?field=__proto__", {}, 400, "namespace, flowId, state"],
  ["GET", "/executions/distinct-field-values?field=state&size=0", {}, 422, "whole number from 1"],
  ["GET", "/executions/export/by-query/csv?filters[nope][EQUALS]=1", {}, 400, "nope"],
  ["GET", "/outputs/0unknown", {}, 404, "does not exist"],
  ["GET", "/concurrency-limit/demo/one", {}, 404, "has no concurrency limit"],
  ["PUT", "/concurrency-limit/demo/unknown", json({ running: 1 }), 404, "does not exist"],
  ["PUT", "/concurrency-limit/demo/one", json({ running: 1 }), 404, "has no concurrency limit"],
  ["PUT", "/concurrency-limit/demo/one", json({ running: -1 }), 422, "whole number from 0"],
  ["GET", "/concurrency-limit/search?sort=nope:asc", {}, 422, "nope"],
  ["GET", "/namespaces/search?size=0", {}, 422, "whole number from 1"],
  ["GET", "/namespaces/search?filters[nope][EQUALS]=1", {}, 400, "nope"],
  ["GET", "/namespaces/Upper", {}, 422, "must match"],
  ["POST", "/namespaces/autocomplete", json({ q: 1 }), 422, "must be an object"],
  ["POST", "/namespaces/autocomplete", json({ ids: "a" }), 422, "must be an object"],
  ["POST", "/namespaces/autocomplete", json({ ids: Array(10_001).fill("a") }), 422, "at most 10000"],
];

for (const [method, path, init, status, message] of BAD_REQUESTS) {
  Deno.test(`${method} ${path} returns ${status}: ${message}`, async () => {
    await using server = await Harness.start();
    await server.save(source("one"));
    const response = await server.request(method, path, init);
    assertEquals(response.status, status);
    assertStringIncludes((await response.json()).message, message);
  });
}

const DISTINCT: readonly (readonly [string, readonly string[]])[] = [
  ["field=namespace", ["demo", "demo.team"]],
  ["field=flowId", ["one", "three", "two"]],
  ["field=state", ["FAILED", "SUCCESS"]],
  ["field=state.current", ["FAILED", "SUCCESS"]],
  ["field=FLOW_ID&size=2", ["one", "three"]],
  ["field=flowId&filters[namespace][EQUALS]=demo", ["one", "two"]],
  ["field=flowId&namespace=demo&size=2", ["one", "three"]],
  ["field=state&flowId=two", ["FAILED"]],
  ["field=namespace&state=FAILED", ["demo"]],
  ["field=namespace&state=RUNNING", []],
];

for (const [query, expected] of DISTINCT) {
  Deno.test(`GET /executions/distinct-field-values?${query} returns ${expected.length} values`, async () => {
    await using server = await startWithExecutions();
    assertEquals(await server.json("GET", `/executions/distinct-field-values?${query}`), [...expected]);
  });
}

Deno.test("GET /executions/export/by-query/csv has one line for each execution below its header", async () => {
  await using server = await startWithExecutions();
  const response = await server.request("GET", "/executions/export/by-query/csv?namespace=demo");
  assertEquals(response.headers.get("content-type"), "text/csv");
  assertEquals(response.headers.get("content-disposition"), 'attachment; filename="executions.csv"');
  const lines = (await response.text()).split("\r\n");
  assertEquals(lines.length, 5);
  assertEquals(
    lines[0],
    "id,namespace,flowId,flowRevision,inputs,outputs,variables,labels,state,parentId,originalId,trigger,deleted,metadata,scheduleDate,kind",
  );
  assertEquals(lines.slice(1, 4).map((line) => line.split(",")[2]), ["one", "two", "three"]);
});

Deno.test("GET /executions/export/by-query/csv is empty when nothing matches", async () => {
  await using server = await startWithExecutions();
  const response = await server.request("GET", "/executions/export/by-query/csv?namespace=other");
  assertEquals([response.status, await response.text()], [200, ""]);
});

Deno.test("GET /executions/export/by-query/csv has one header over several pages", async () => {
  await using server = await Harness.start();
  await server.save(source("one"));
  for (let i = 0; i < 501; i++) await server.start("one");
  await settle();
  const text = await (await server.request("GET", "/executions/export/by-query/csv")).text();
  const lines = text.split("\r\n");
  assertEquals([lines.length, new Set(lines).size], [503, 503]);
});

for (const format of ["csv", "json"]) {
  Deno.test(`GET /executions/export/by-query/${format} has all executions that are not deleted meanwhile`, async () => {
    await using server = await Harness.start();
    await server.save(source("one", "demo", "inputs:\n  - id: text\n    type: STRING\n"));
    // More than is read ahead of the client.
    const text = "x".repeat(3_000);
    const ids: string[] = [];
    for (let i = 0; i < 600; i++) ids.push(String((await server.start("one", { text })).id));
    await settle();
    const { body } = await server.open("GET", `/executions/export/by-query/${format}`);
    assert(body);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let exported = (await reader.read()).value ?? "";
    await server.json("DELETE", "/executions/by-ids", json(ids.slice(0, 100)));
    for (let part = await reader.read(); !part.done; part = await reader.read()) exported += part.value;
    assertEquals(ids.slice(100).filter((id) => !exported.includes(id)), []);
  });
}

Deno.test("GET /outputs/:executionId names the task runs with outputs, and returns those of each", async () => {
  await using server = await Harness.start();
  const { id, taskRunList: [taskRun] } = await server.run(source("one"));
  assertEquals(await server.json("GET", `/outputs/${id}`), [
    { taskId: "a", taskRunId: taskRun?.id ?? "", inline: true },
  ]);
  assertEquals(await server.json("GET", `/outputs/${id}/${taskRun?.id}`), { value: 'x,"y' });
  assertEquals((await server.request("GET", `/outputs/${id}/unknown`)).status, 404);
  assertEquals(await server.json("GET", `/outputs/executions/${id}`), {});
});

Deno.test("GET /concurrency-limit/search counts what runs, and the limit lets the next in", async () => {
  await using server = await Harness.start();
  await server.save(slow("limited", 2));
  await server.save(source("free"));
  for (let i = 0; i < 3; i++) await server.start("limited");
  await settle();
  const expected = { tenantId: "main", namespace: "demo", flowId: "limited", running: 2 };
  assertEquals(await server.json("GET", "/concurrency-limit/search"), { results: [expected], total: 1 });
  assertEquals(await server.json("GET", "/concurrency-limit/demo/limited"), expected);
  const changed = await server.json(
    "PUT",
    "/concurrency-limit/demo/limited",
    json({ ...expected, running: 0 }),
  );
  assertEquals(changed, expected);
  await server.advance(60_000);
  const after = await server.json("PUT", "/concurrency-limit/demo/limited");
  assertEquals(after, { ...expected, running: 1 });
});

Deno.test("PUT /concurrency-limit/:namespace/:flowId starts waiting executions after the limit was raised", async () => {
  await using server = await Harness.start();
  await server.save(slow("limited", 1));
  for (let i = 0; i < 3; i++) await server.start("limited");
  await settle();
  await server.json("PUT", "/flows/demo/limited", yaml(slow("limited", 3)));
  const { running } = await server.json("PUT", "/concurrency-limit/demo/limited") as Record<string, unknown>;
  assertEquals(running, 3);
});

const NAMESPACES: readonly (readonly [string, readonly string[], number])[] = [
  ["", ["a", "a.b", "a.b.c", "system", "x"], 5],
  ["?existing=true", ["a.b.c", "x"], 2],
  ["?q=B", ["a.b", "a.b.c"], 2],
  ["?q=*", ["a", "a.b", "a.b.c", "system", "x"], 5],
  ["?q=nothing", [], 0],
  ["?size=2&page=2", ["a.b.c", "system"], 5],
  ["?sort=id:desc&size=1", ["x"], 5],
  ["?page=9", [], 5],
  ["?filters[namespace][PREFIX]=a.b", ["a.b", "a.b.c"], 2],
];

for (const [query, ids, total] of NAMESPACES) {
  Deno.test(`GET /namespaces/search${query} returns ${ids.join(" ") || "nothing"}`, async () => {
    await using server = await Harness.start();
    await server.save(source("f", "a.b.c"));
    await server.save(source("f", "x"));
    const results = ids.map((id) => ({ id, disabled: true, deleted: false }));
    assertEquals(await server.json("GET", `/namespaces/search${query}`), { results, total });
  });
}

const AUTOCOMPLETED: readonly (readonly [unknown, readonly string[]])[] = [
  [{}, ["a", "a.b", "a.b.c", "system"]],
  [{ q: "B" }, ["a.b", "a.b.c"]],
  [{ q: "c", ids: ["a", "unknown"] }, ["a", "a.b.c"]],
];

for (const [body, expected] of AUTOCOMPLETED) {
  Deno.test(`POST /namespaces/autocomplete ${JSON.stringify(body)} returns ${expected.join(" ")}`, async () => {
    await using server = await Harness.start();
    await server.save(source("f", "a.b.c"));
    assertEquals(await server.json("POST", "/namespaces/autocomplete", json(body)), [...expected]);
  });
}

Deno.test("GET /namespaces/:namespace accepts any namespace", async () => {
  await using server = await Harness.start();
  assertEquals(await server.json("GET", "/namespaces/not.there"), { id: "not.there", deleted: false });
});
