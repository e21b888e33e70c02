import { assertEquals, assertObjectMatch } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { Metric } from "../../../../src/model/executions/metric.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { FaultyStore } from "../../../support/fakes/faulty_store.ts";
import { restartGated } from "../../../support/fakes/gated_store.ts";
import { EFFECT_TYPE, Harness } from "../../../support/harness.ts";

const REPORTED: readonly Metric[] = [
  { name: "rows", type: "counter", value: 3, tags: { table: "a", constructor: "b" } },
  { name: "rows", type: "counter", value: 4.5 },
  { name: "took", type: "timer", value: 12 },
];

const FLOW = `id: measured\nnamespace: demo\ntasks:\n` +
  `  - {id: e, type: ${EFFECT_TYPE}}\n` +
  `  - {id: r, type: io.kestra.plugin.core.debug.Return, format: "{{ 'ab' }}"}\n`;

async function startMeasured(metrics: readonly Metric[] = REPORTED): Promise<{ app: Harness; id: string }> {
  const app = await Harness.start({
    effect: (_properties, context) => {
      for (const metric of metrics) context.metric(metric);
      return { state: "SUCCESS", outputs: {} };
    },
  });
  const { id } = await app.run(FLOW);
  return { app, id };
}

Deno.test("GET /metrics/{executionId} lists what attempts reported, and what follows from a Return", async () => {
  const { app, id } = await startMeasured();
  await using _ = app;
  const { results, total } = await app.page(`/metrics/${id}`);
  assertEquals(total, 5);
  assertEquals(results.map(({ taskId, name, type, value }) => `${taskId} ${name} ${type} ${value}`), [
    "e rows counter 3.0",
    "e rows counter 4.5",
    "e took timer 12.0",
    "r length counter 2.0",
    "r duration timer 0.0",
  ]);
  assertObjectMatch(results[0] ?? {}, {
    namespace: "demo",
    flowId: "measured",
    executionId: id,
    timestamp: "2026-01-15T10:30:00.000Z",
    tags: { table: "a", constructor: "b" },
  });
  assertEquals(results[3]?.tags, { format: "{{ 'ab' }}" });
});

/** A query, and the names in its response. */
const QUERIES: readonly (readonly [query: string, names: string, total: number])[] = [
  ["?taskId=r", "length duration", 2],
  ["?taskId=none", "", 0],
  ["?size=2&page=2", "took length", 5],
  ["?page=9", "", 5],
  ["?sort=value:desc&size=2", "took rows", 5],
  ["?sort=name:asc&sort=value:desc", "duration length rows rows took", 5],
];

for (const [query, names, total] of QUERIES) {
  Deno.test(`GET /metrics/{executionId}${query} returns "${names}"`, async () => {
    const { app, id } = await startMeasured();
    await using _ = app;
    const page = await app.page(`/metrics/${id}${query}`);
    assertEquals([page.results.map(({ name }) => name).join(" "), page.total], [names, total]);
  });
}

/** Requests that are refused or find nothing. */
const STATUSES: readonly (readonly [path: string, status: number])[] = [
  ["/metrics/nobody", 200],
  ["/metrics/nobody?page=0", 422],
  ["/metrics/nobody?sort=color:asc", 422],
  ["/metrics/names/no/such", 200],
  ["/metrics/aggregates/demo/measured/rows?aggregation=median", 400],
  ["/metrics/aggregates/demo/measured/rows?startDate=yesterday", 400],
  ["/metrics/aggregates/demo/measured/rows?startDate=2026-01-02&endDate=2026-01-01", 422],
  ["/metrics/aggregates/demo/measured/rows?startDate=1990-01-01", 422],
];

for (const [path, status] of STATUSES) {
  Deno.test(`GET ${path} returns ${status}`, async () => {
    await using app = await Harness.start();
    const response = await app.request("GET", path);
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}

Deno.test("GET /metrics/names and /metrics/tasks name what the flow has reported", async () => {
  const { app } = await startMeasured();
  await using _ = app;
  assertEquals(await app.json("GET", "/metrics/names/demo/measured"), ["duration", "length", "rows", "took"]);
  assertEquals(await app.json("GET", "/metrics/names/demo/measured/e"), ["rows", "took"]);
  assertEquals(await app.json("GET", "/metrics/tasks/demo/measured"), ["e", "r"]);
});

/** An aggregate of two executions, and its value of the day. */
const AGGREGATES: readonly (readonly [path: string, value: string])[] = [
  ["rows", "15.0"],
  ["rows?aggregation=AVG", "3.75"],
  ["e/rows?aggregation=min", "3.0"],
  ["rows?aggregation=max", "4.5"],
  ["r/rows", "0.0"],
  ["constructor", "0.0"],
];

for (const [path, value] of AGGREGATES) {
  Deno.test(`GET /metrics/aggregates/{namespace}/{flowId}/${path} is ${value}`, async () => {
    const { app } = await startMeasured();
    await using _ = app;
    await app.start("measured");
    await app.advance(10);
    const answer = await app.json("GET", `/metrics/aggregates/demo/measured/${path}`) as unknown as {
      groupBy: string;
      aggregations: JsonObject[];
    };
    const last = answer.aggregations.at(-1);
    assertEquals([answer.groupBy, answer.aggregations.length], ["day", 31]);
    assertEquals([String(last?.value), last?.date], [value, "2026-01-15T00:00:00.000Z"]);
  });
}

Deno.test("an aggregate reads several executions at the same time", async () => {
  const first = await Harness.start();
  await first.run(FLOW);
  for (let more = 0; more < 2; more++) await first.start("measured");
  await first.advance(10);
  const { app, store } = await restartGated(first);
  await using _ = app;
  store.holdsReads = true;
  const response = app.json("GET", "/metrics/aggregates/demo/measured/length");
  await settle();
  assertEquals(store.waiting, 3);
  store.holdsReads = false;
  await store.letThrough();
  assertObjectMatch(await response as JsonObject, { groupBy: "day" });
});

Deno.test("metrics of an attempt are bounded, and its log says so", async () => {
  const many = Array.from({ length: 300 }, (_, value): Metric => ({ name: "n", type: "gauge", value }));
  const { app, id } = await startMeasured(many);
  await using _ = app;
  assertEquals((await app.page(`/metrics/${id}?taskId=e`)).total, 200);
  const logs = await app.json("GET", `/logs/${id}?taskId=e`) as { message: string }[];
  assertEquals(logs.map(({ message }) => message), ['Too many metrics: "n" and those after it are left out']);
});

Deno.test("metrics are kept of an attempt that fails, and go with the execution", async () => {
  await using app = await Harness.start({
    effect: (_properties, context) => {
      context.metric({ name: "n", type: "counter", value: 1 });
      context.metric({ name: "n", type: "counter", value: NaN });
      return { state: "SUCCESS" };
    },
  });
  const { id, state } = await app.run(FLOW);
  assertEquals([state.current, (await app.page(`/metrics/${id}`)).total], ["FAILED", 1]);
  await app.json("DELETE", `/executions/${id}`);
  const left = await Array.fromAsync(app.store.list({ prefix: ["main", "m"] }));
  assertEquals(left, []);
});

Deno.test("metrics become durable with the end of their attempt, however often its commit is refused", async () => {
  let isFull = false;
  const act = Promise.withResolvers<void>();
  await using app = await Harness.start({
    wrap: (memory) => new FaultyStore(memory, () => isFull ? "full" : "none"),
    effect: async (_properties, context) => {
      await act.promise;
      context.metric({ name: "n", type: "counter", value: 1 });
      return { state: "SUCCESS" };
    },
  });
  const { id } = await app.run(FLOW);
  isFull = true;
  act.resolve();
  await app.advance(3_000);
  assertEquals((await app.page(`/metrics/${id}`)).total, 0);
  isFull = false;
  await app.advance(3_000);
  assertEquals((await app.page(`/metrics/${id}?taskId=e`)).results.map(({ value }) => String(value)), [
    "1.0",
  ]);
});
