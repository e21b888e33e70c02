/** Each template is saved and run to its end, as a person would who takes it over; HTTP goes to a server of the test. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TEMPLATES } from "../../../src/services/blueprints/templates.ts";
import { type ExecutionResponse, Harness } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { answer, type Behaviour, MisbehavingServer } from "../../support/servers/misbehaving_server.ts";
import { json, yaml } from "../../support/flows/request_bodies.ts";

const NAMESPACE = "company.team";
const TYPE = { "Content-Type": "application/json" };
const ORDERS = [
  [{ id: 1, paid: true }, { id: 2, paid: false }],
  [{ id: 3, paid: true }],
  [{ id: 4, paid: true }, { id: 5, paid: false }],
];

/** An API with pages, a service that is down, and a chat that takes alerts. */
const API: Behaviour = ({ head }) => {
  const [, path = ""] = head.split(" ");
  const page = Number(/^\/orders\?page=(\d)$/.exec(path)?.[1]);
  if (page) return answer(200, JSON.stringify({ pages: ORDERS.length, items: ORDERS[page - 1] }), TYPE);
  if (path === "/down") return answer(503, "down");
  return answer(200, "ok");
};

/** Tries of a template by its id; a template without one fails the first test. */
const TRIES = new Map<string, (app: Harness, api: MisbehavingServer) => Promise<void>>();

function sourceOf(id: string): string {
  return TEMPLATES.find((template) => template.id === id)?.source ?? "";
}

async function start(app: Harness, id: string, form: Record<string, string | Blob> = {}): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) body.set(name, value);
  const execution = await app.json("POST", `/executions/${NAMESPACE}/${id}`, { body });
  return String((execution as { id?: string }).id);
}

async function ended(app: Harness, id: string): Promise<ExecutionResponse> {
  let execution = await app.execution(id);
  await until(async () => {
    execution = await app.execution(id);
    return ["SUCCESS", "WARNING", "FAILED", "KILLED"].includes(execution.state.current);
  });
  return execution;
}

/** Saves and runs a template; returns the ended execution with its log. */
async function run(
  app: Harness,
  id: string,
  form: Record<string, string | Blob> = {},
): Promise<ExecutionResponse & { readonly log: string }> {
  const execution = await ended(app, await start(app, id, form));
  return { ...execution, log: await logOf(app, execution.id) };
}

async function logOf(app: Harness, id: string): Promise<string> {
  const lines = await app.json("GET", `/logs/${id}`) as { message: string }[];
  return lines.map(({ message }) => message).join("\n");
}

async function fileOf(app: Harness, { id }: ExecutionResponse, uri: unknown): Promise<string> {
  const response = await app.request("GET", `/executions/${id}/file?path=${encodeURIComponent(String(uri))}`);
  return await response.text();
}

function outputs(execution: ExecutionResponse): Record<string, unknown> {
  return execution.outputs as Record<string, unknown>;
}

TRIES.set("hello-world", async (app) => {
  const execution = await run(app, "hello-world", { name: "Ann" });
  assertEquals([execution.state.current, outputs(execution).greeting], ["SUCCESS", "Hello Ann!"]);
  assertStringIncludes((await run(app, "hello-world")).log, "Hello World!");
});

TRIES.set("paginated-import", async (app, api) => {
  const execution = await run(app, "paginated-import", { url: `${api.url}/orders` });
  assertEquals(execution.state.current, "SUCCESS", execution.log);
  const lines = (await fileOf(app, execution, outputs(execution).orders)).trim().split("\n");
  assertEquals(lines.map((line) => JSON.parse(line).id), [1, 3, 4]);
});

TRIES.set("parallel-with-alert", async (app, api) => {
  const alert_url = `${api.url}/alerts`;
  const good = await run(app, "parallel-with-alert", { status_url: `${api.url}/status`, alert_url });
  assertEquals(good.state.current, "SUCCESS", good.log);
  assertStringIncludes(good.log, "All checks passed on Thursday\nCleaned up");
  const sent = api.requests.length;
  const bad = await run(app, "parallel-with-alert", { status_url: `${api.url}/down`, alert_url });
  assertEquals(bad.state.current, "FAILED", bad.log);
  assertStringIncludes(bad.log, "Cleaned up");
  const alerts = api.requests.slice(sent).filter(({ head }) => head.startsWith("POST /alerts"));
  assertEquals(alerts.map(({ body }) => JSON.parse(body)), [{
    text: `${NAMESPACE}.parallel-with-alert failed, execution ${bad.id}`,
  }]);
});

TRIES.set("approval", async (app) => {
  const decisions = [
    [{ approved: "true" }, "Fulfilled: A server"],
    [{ approved: "false", reason: "Too large" }, "Declined: A server. Too large"],
    [{ approved: "false" }, "Declined: A server. No reason given"],
  ] as const;
  for (const [decision, expected] of decisions) {
    const id = await start(app, "approval", { request: "A server" });
    await until(async () => (await app.execution(id)).state.current === "PAUSED");
    const body = new FormData();
    for (const [name, value] of Object.entries(decision)) body.set(name, value);
    await app.json("POST", `/executions/${id}/resume`, { body });
    assertEquals((await ended(app, id)).state.current, "SUCCESS");
    assertStringIncludes(await logOf(app, id), expected);
  }
});

TRIES.set("hourly-report", async (app) => {
  const backfill = { start: "2026-01-15T07:30:00Z", end: "2026-01-15T09:30:00Z" };
  const trigger = { namespace: NAMESPACE, flowId: "hourly-report", triggerId: "every_hour" };
  await app.json("PUT", "/triggers/backfill/create", json(JSON.stringify({ ...trigger, backfill })));
  await app.advance(31 * 60_000);
  const { results } = await app.page<ExecutionResponse>("/executions/search?sort=state.startDate:asc");
  const logs = await Promise.all(results.map(({ id }) => logOf(app, id)));
  const hours = ["2026-01-15 07:00", "2026-01-15 08:00", "2026-01-15 10:00"];
  assertEquals(logs.sort(), hours.map((hour) => `${hour}\nReport of the hour from ${hour}`));
});

TRIES.set("webhook-events", async (app) => {
  const secret = { key: "WEBHOOK_KEY", value: "k-5f0c92d7" };
  await app.json("PUT", `/namespaces/${NAMESPACE}/secrets`, json(JSON.stringify(secret)));
  const events = [
    [{ event: "order.created", id: 7 }, "Order 7 is created"],
    [{ event: "order.cancelled", id: 8 }, "Order 8 is cancelled"],
    [{ event: "order.lost" }, "Ignored the event order.lost"],
    [{}, "Ignored the event without a name"],
  ] as const;
  for (const [event, expected] of events) {
    const path = `/executions/webhook/${NAMESPACE}/webhook-events/${secret.value}`;
    const { id } = await app.json("POST", path, json(JSON.stringify(event))) as { id: string };
    assertEquals((await ended(app, id)).state.current, "SUCCESS");
    assertStringIncludes(await logOf(app, id), expected);
  }
});

TRIES.set("subflow-for-each", async (app) => {
  await app.save(sourceOf("hello-world"));
  const execution = await run(app, "subflow-for-each", { names: '["Ann", "Ben"]' });
  assertEquals(execution.state.current, "SUCCESS", execution.log);
  assertEquals(outputs(execution).greetings, ["Hello Ann!", "Hello Ben!"]);
});

TRIES.set("file-batches", async (app) => {
  await app.save(sourceOf("process-batch"));
  const lines = Array.from({ length: 250 }, (_, index) => `item ${index}\n`).join("");
  const execution = await run(app, "file-batches", { items: new Blob([lines]) });
  assertEquals(execution.state.current, "SUCCESS", execution.log);
  const { results } = await app.page<ExecutionResponse>("/executions/search?flowId=process-batch&size=10");
  const logs = await Promise.all(results.map(({ id }) => logOf(app, id)));
  assertEquals(logs.sort(), [0, 1, 2].map((batch) => `Batch ${batch} begins with item ${batch * 100}`));
});

TRIES.set("process-batch", async (app) => {
  const execution = await run(app, "process-batch", { batch: new Blob(["a\nb\n"]), number: "3" });
  assertEquals([execution.state.current, outputs(execution).bytes], ["SUCCESS", 4], execution.log);
  assertStringIncludes(execution.log, "Batch 3 begins with a");
});

TRIES.set("script-with-metrics", async (app) => {
  const execution = await run(app, "script-with-metrics", { text: "b a * $(exit 1)" });
  assertEquals([execution.state.current, outputs(execution).count], ["SUCCESS", 5], execution.log);
  const { results } = await app.page<{ name: string; value: number }>(`/metrics/${execution.id}`);
  assertEquals(results.filter(({ name }) => name === "words").map(({ value }) => Number(value)), [5]);
});

TRIES.set("state-between-runs", async (app) => {
  const positions = [];
  for (let time = 0; time < 3; time++) positions.push(outputs(await run(app, "state-between-runs")).position);
  assertEquals(positions, [100, 200, 300]);
});

TRIES.set("namespace-files", async (app) => {
  const sales = new Blob(["region,amount\nnorth,1\nsouth,2\nnorth,3\n"]);
  const execution = await run(app, "namespace-files", { sales });
  assertEquals(execution.state.current, "SUCCESS", execution.log);
  assertEquals(await fileOf(app, execution, outputs(execution).totals), "north,4\nsouth,2\n");
});

TRIES.set("retry-and-alert", async (app, api) => {
  const alert_url = `${api.url}/alerts`;
  const good = await run(app, "retry-and-alert", { url: `${api.url}/report`, alert_url });
  assertEquals([good.state.current, api.requests.length], ["SUCCESS", 1], good.log);
  const id = await start(app, "retry-and-alert", { url: `${api.url}/down`, alert_url });
  await until(async () => {
    const { current } = (await app.execution(id)).state;
    if (current === "RETRYING") await app.advance(1_000);
    return current === "FAILED";
  });
  const paths = api.requests.slice(1).map(({ head }) => head.split(" ")[1]);
  assertEquals(paths, ["/down", "/down", "/down", "/alerts"]);
});

TRIES.set("executions-overview", async (app) => {
  const { charts } = await app.json("GET", "/dashboards/executions-overview") as { charts: { id: string }[] };
  const ids = charts.map(({ id }) => id);
  assertEquals(ids, [
    ...["notes", "success_rate", "failed", "longest", "executions_by_day", "states", "namespaces"],
    "failing_flows",
  ]);
  for (const id of ids) await app.page(`/dashboards/executions-overview/charts/${id}`);
});

Deno.test("every template is tried, and its id is that of its source", () => {
  assertEquals(TEMPLATES.map(({ id }) => id), [...TRIES.keys()]);
  for (const { id, source } of TEMPLATES) assert(source.startsWith(`id: ${id}\n`), id);
});

/** Flows that templates start, and that exist only where a person has saved them. */
const STARTED = new Map([["subflow-for-each", "hello-world"], ["file-batches", "process-batch"]]);

function warningsOf(id: string): string[] {
  const started = STARTED.get(id);
  return started === undefined ? [] : [`The subflow '${started}' not found in namespace 'company.team'.`];
}

for (const { id, kind, source } of TEMPLATES) {
  Deno.test(`template ${id} can be saved without a warning of itself and does what it says`, async () => {
    await using api = new MisbehavingServer(API);
    await using app = await Harness.start();
    if (kind === "dashboard") await app.json("POST", "/dashboards", yaml(source));
    else {
      const [check] = await app.json("POST", "/flows/validate", yaml(source)) as Record<string, unknown>[];
      assertEquals([check?.constraints, check?.warnings, check?.deprecationPaths], [
        undefined,
        warningsOf(id),
        [],
      ]);
      await app.save(source);
    }
    await TRIES.get(id)?.(app, api);
  });
}
