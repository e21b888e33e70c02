import { assertEquals } from "@std/assert";
import { isJsonObject, type JsonObject, parseJson } from "../../../../src/base/json.ts";
import { type Effect, EFFECT_TYPE, Harness } from "../../../support/harness.ts";
import { yaml } from "../../../support/flows/request_bodies.ts";
import {
  datesOf,
  executionsOf,
  flowTrigger,
  schedule,
  stateOf,
  triggeredFlow,
} from "../../../support/flows/triggers.ts";

const MINUTE = 60_000;
const CRON = "*/10 * * * *";
const KEY: JsonObject = { namespace: "demo", flowId: "s", triggerId: "t" };
const EFFECT: JsonObject = { tasks: [{ id: "e", type: EFFECT_TYPE }] };
const NEVER: Effect = () => new Promise(() => {});

async function send(
  app: Harness,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: JsonObject }> {
  const response = await app.request(method, path, {
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const value = text === "" ? null : parseJson(text);
  return { status: response.status, body: isJsonObject(value) ? value : {} };
}

/** A server with one schedule. */
async function startWith(
  properties: JsonObject = {},
  members: JsonObject = {},
  effect?: Effect,
): Promise<Harness> {
  const app = await Harness.start({ effect });
  await app.save(triggeredFlow("s", schedule(CRON, properties), members));
  return app;
}

Deno.test("GET /triggers/search lists triggers with what their flows declare", async () => {
  await using app = await startWith();
  await app.save(triggeredFlow("l", flowTrigger()));
  const { results, total } = await app.page("/triggers/search?sort=flowId:asc");
  assertEquals(total, 2);
  assertEquals(results[1], {
    trigger: { id: "t", type: "io.kestra.plugin.core.trigger.Schedule", cron: CRON },
    abstractTrigger: { id: "t", type: "io.kestra.plugin.core.trigger.Schedule", cron: CRON },
    ...Object.fromEntries(["state", "triggerContext"].map((name) => [name, {
      ...KEY,
      kind: "SCHEDULE",
      nextExecutionDate: "2026-01-15T10:40:00.000Z",
      nextEvaluationDate: "2026-01-15T10:40:00.000Z",
      updatedDate: "2026-01-15T10:30:00.000Z",
      updatedAt: "2026-01-15T10:30:00.000Z",
      disabled: false,
      locked: false,
      evaluations: [],
    }])),
  });
});

Deno.test("GET /triggers/search returns each date under its older and its newer name", async () => {
  await using app = await startWith();
  await app.advance(10 * MINUTE);
  for (const sort of ["lastTriggeredDate:desc", "nextEvaluationDate:asc", "updatedAt:asc"]) {
    const { results } = await app.page(`/triggers/search?sort=${sort}`);
    const { date, lastTriggeredDate, evaluatedAt, evaluateRunningDate } = results[0]?.state as JsonObject;
    assertEquals([date, lastTriggeredDate], Array(2).fill("2026-01-15T10:40:00.000Z"));
    assertEquals([evaluatedAt, evaluateRunningDate], ["2026-01-15T10:40:00.000Z", undefined]);
  }
});

/** Queries, and the flows whose triggers they find. No id of an execution, which `q` searches, too, has a hyphen. */
const QUERIES: readonly (readonly [query: string, flows: readonly string[]])[] = [
  ["", ["l-2", "s"]],
  ["flowId=s", ["s"]],
  ["namespace=demo", ["l-2", "s"]],
  ["namespace=other", []],
  ["q=L-2%20demo", ["l-2"]],
  ["filters[q][NOT_EQUALS]=*", []],
  ["triggerId=t", ["l-2", "s"]],
  ["filters[flowId][IN]=l-2,x", ["l-2"]],
  ["filters[flowId][STARTS_WITH]=s", ["s"]],
  ["filters[triggerState][EQUALS]=DISABLED", ["l-2"]],
  ["filters[triggerState][NOT_EQUALS]=DISABLED", ["s"]],
  ["filters[scope][EQUALS]=SYSTEM", []],
  ["triggerState=DISABLED&triggerState=ENABLED", ["l-2", "s"]],
  ["filters[startDate][GREATER_THAN]=2026-01-15T10:35:00Z", ["l-2", "s"]],
  ["filters[startDate][GREATER_THAN]=2026-01-15T10:45:00Z", []],
  ["filters[or][0][flowId][EQUALS]=l-2&filters[or][1][flowId][EQUALS]=s", ["l-2", "s"]],
  ["workerId=w", []],
  ["page=2&size=1", ["s"]],
];

for (const [query, flows] of QUERIES) {
  Deno.test(`GET /triggers/search?${query} finds ${flows.join(" and ") || "nothing"}`, async () => {
    await using app = await startWith();
    await app.save(triggeredFlow("l-2", flowTrigger()));
    await app.advance(12 * MINUTE);
    await send(app, "PUT", "/triggers/set-disabled", { ...KEY, flowId: "l-2", disabled: true });
    const { results } = await app.page(`/triggers/search?${query}`);
    assertEquals(
      results.map(({ state }) => (state as JsonObject).flowId),
      [...flows],
    );
  });
}

Deno.test("GET /triggers/search finds a trigger that its flow declares as disabled, and one by its execution", async () => {
  await using app = await startWith({}, EFFECT, NEVER);
  await app.save(triggeredFlow("off", { ...schedule(CRON), disabled: true }));
  await app.advance(12 * MINUTE);
  const found = async (query: string) => {
    const { results } = await app.page(`/triggers/search?${query}`);
    return results.map(({ state }) => (state as JsonObject).flowId);
  };
  assertEquals(await found("triggerState=DISABLED"), ["off"]);
  assertEquals(await found("triggerState=ENABLED"), ["s"]);
  const [execution] = await executionsOf(app, "s");
  assertEquals(await found(`q=${execution?.id}`), ["s"]);
});

Deno.test("GET /triggers/:namespace/:flowId lists the triggers of a flow, and none of an unknown one", async () => {
  await using app = await startWith();
  assertEquals(await app.json("GET", "/triggers/demo/unknown"), { results: [], total: 0 });
  assertEquals((await stateOf(app, "s")).triggerId, "t");
});

Deno.test("GET /triggers/export/by-query/csv returns a line for each trigger", async () => {
  await using app = await startWith();
  const response = await app.request("GET", "/triggers/export/by-query/csv");
  const [, line] = (await response.text()).split("\r\n");
  assertEquals(
    line,
    "demo,s,t,io.kestra.plugin.core.trigger.Schedule,false,,2026-01-15T10:40:00.000Z,2026-01-15T10:30:00.000Z",
  );
});

Deno.test("PUT /triggers/set-disabled switches a schedule off and on; it continues from then", async () => {
  await using app = await startWith();
  const off = await send(app, "PUT", "/triggers/set-disabled", { ...KEY, disabled: true, tenantId: "x" });
  assertEquals([off.status, off.body.disabled, off.body.nextExecutionDate], [200, true, undefined]);
  await app.advance(25 * MINUTE);
  const on = await send(app, "PUT", "/triggers", { ...KEY, disabled: false });
  assertEquals([on.status, on.body.disabled, on.body.nextExecutionDate], [
    200,
    false,
    "2026-01-15T11:00:00.000Z",
  ]);
  await app.advance(10 * MINUTE);
  assertEquals(await datesOf(app, "s"), ["2026-01-15T11:00:00Z"]);
});

Deno.test("PUT /triggers/set-disabled outlives a crash and a new revision", async () => {
  const first = await startWith();
  await send(first, "PUT", "/triggers/set-disabled", { ...KEY, disabled: true });
  await using app = await first.crash();
  const source = triggeredFlow("s", schedule(CRON), { description: "new" });
  await app.json("PUT", "/flows/demo/s", yaml(source));
  await app.advance(25 * MINUTE);
  assertEquals([(await stateOf(app, "s")).disabled, await executionsOf(app, "s")], [true, []]);
});

const BACKFILL = { start: "2026-01-15T09:00:00Z", end: "2026-01-15T09:30:00Z" };
const BACKFILLED = ["09:00", "09:10", "09:20", "09:30"].map((time) => `2026-01-15T${time}:00Z`);

Deno.test("PUT /triggers/backfill/create makes up for past dates, then the schedule continues", async () => {
  await using app = await startWith({ labels: { a: "1" } });
  const backfill = { ...BACKFILL, labels: { b: "2" } };
  const { status, body } = await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill });
  assertEquals([status, body.nextExecutionDate], [200, "2026-01-15T09:00:00.000Z"]);
  await app.advance(12 * MINUTE);
  assertEquals(await datesOf(app, "s"), [...BACKFILLED, "2026-01-15T10:40:00Z"]);
  const executions = await executionsOf(app, "s");
  assertEquals(executions.map(({ labels }) => [labels.a, labels.b]), [
    ...BACKFILLED.map(() => ["1", "2"]),
    ["1", undefined],
  ]);
  assertEquals((await stateOf(app, "s")).backfill, undefined);
});

Deno.test("PUT /triggers with a trigger whose backfill runs switches it off and on, and keeps the backfill", async () => {
  await using app = await startWith();
  await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill: BACKFILL });
  await send(app, "PUT", "/triggers/backfill/pause", KEY);
  for (const disabled of [true, false]) {
    const listed = await stateOf(app, "s");
    const { status, body } = await send(app, "PUT", "/triggers", { ...listed, disabled });
    const { currentDate } = body.backfill as JsonObject;
    assertEquals([status, body.disabled, currentDate], [200, disabled, "2026-01-15T09:00:00.000Z"]);
  }
});

Deno.test("PUT /triggers/backfill/create gives its inputs to the executions", async () => {
  await using app = await startWith({ inputs: { n: 1 } }, { inputs: [{ id: "n", type: "INT" }] });
  await send(app, "PUT", "/triggers", {
    ...KEY,
    disabled: false,
    backfill: { ...BACKFILL, inputs: { n: 7 } },
  });
  await app.advance(MINUTE);
  assertEquals((await executionsOf(app, "s")).map(({ inputs }) => inputs.n), [7, 7, 7, 7]);
});

const TOO_LONG: readonly (readonly [members: JsonObject, message: string])[] = [
  [{ inputs: { n: "x".repeat(24 * 1024) } }, "backfill.inputs: must have at most 24576 bytes as JSON"],
  [
    { labels: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, "x".repeat(100)])) },
    "backfill.labels: must have at most 4096 bytes as JSON",
  ],
];

for (const [members, message] of TOO_LONG) {
  Deno.test(`PUT /triggers/backfill/create refuses what the trigger cannot store: ${message}`, async () => {
    await using app = await startWith();
    const backfill = { ...BACKFILL, ...members };
    const { status, body } = await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill });
    assertEquals([status, body.message], [422, `Invalid entity: ${message}`]);
    assertEquals((await stateOf(app, "s")).backfill, undefined);
  });
}

Deno.test("PUT /triggers/backfill/create says which expression of the schedule has no value", async () => {
  await using app = await startWith({ timezone: "{{ x }}" });
  const { status, body } = await send(app, "PUT", "/triggers/backfill/create", {
    ...KEY,
    backfill: BACKFILL,
  });
  assertEquals([status, body.message], [
    409,
    'Illegal state: Cannot backfill trigger "t": Unable to find `x` used in the expression `{{ x }}` at line 1',
  ]);
});

Deno.test("PUT /triggers/backfill/create continues after a crash, one date after the other, each once", async () => {
  let release = () => {};
  const effect: Effect = () => new Promise((resolve) => release = () => resolve({ state: "SUCCESS" }));
  const first = await startWith({}, EFFECT, effect);
  await send(first, "PUT", "/triggers/backfill/create", { ...KEY, backfill: BACKFILL });
  await first.advance(MINUTE);
  assertEquals(await datesOf(first, "s"), BACKFILLED.slice(0, 1));
  await using app = await first.crash();
  for (const count of [1, 2, 3, 4]) {
    await app.advance(1_000);
    assertEquals(await datesOf(app, "s"), BACKFILLED.slice(0, count));
    release();
  }
  await app.advance(1_000);
  assertEquals((await stateOf(app, "s")).backfill, undefined);
});

Deno.test("PUT /triggers/backfill/pause lets the schedule continue, unpause and delete end that", async () => {
  await using app = await startWith({}, EFFECT, NEVER);
  await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill: BACKFILL });
  await app.advance(1_000);
  const paused = await send(app, "PUT", "/triggers/backfill/pause", KEY);
  assertEquals([paused.status, paused.body.nextExecutionDate], [200, "2026-01-15T10:40:00.000Z"]);
  const backfill = paused.body.backfill as JsonObject;
  assertEquals([backfill.paused, backfill.currentDate], [true, "2026-01-15T09:10:00.000Z"]);
  const unpaused = await send(app, "PUT", "/triggers/backfill/unpause", KEY);
  assertEquals([unpaused.status, (unpaused.body.backfill as JsonObject).paused], [200, false]);
  const deleted = await send(app, "POST", "/triggers/backfill/delete", KEY);
  assertEquals([deleted.status, deleted.body.backfill], [200, undefined]);
});

for (const path of ["/triggers", "/triggers/backfill/create"]) {
  Deno.test(`PUT ${path} with a paused backfill starts nothing until it is resumed`, async () => {
    await using app = await startWith();
    const { status, body } = await send(app, "PUT", path, {
      ...KEY,
      backfill: { ...BACKFILL, paused: true },
    });
    const { paused, currentDate } = body.backfill as JsonObject;
    assertEquals([status, paused, currentDate], [200, true, "2026-01-15T09:00:00.000Z"]);
    await app.advance(12 * MINUTE);
    assertEquals(await datesOf(app, "s"), ["2026-01-15T10:40:00Z"]);
    await send(app, "PUT", "/triggers/backfill/unpause", KEY);
    await app.advance(MINUTE);
    assertEquals((await datesOf(app, "s")).sort(), [...BACKFILLED, "2026-01-15T10:40:00Z"]);
  });
}

Deno.test("PUT /triggers/backfill/create takes an end after now, but before the next date", async () => {
  await using app = await startWith();
  const backfill = { start: "2026-01-15T10:15:00Z", end: "2026-01-15T10:39:59Z" };
  const { status, body } = await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill });
  assertEquals([status, body.nextExecutionDate], [200, "2026-01-15T10:20:00.000Z"]);
  await app.advance(12 * MINUTE);
  const dates = ["10:20", "10:30", "10:40"].map((time) => `2026-01-15T${time}:00Z`);
  assertEquals(await datesOf(app, "s"), dates);
});

Deno.test("PUT /triggers/backfill/create leaves dates after now to the schedule", async () => {
  await using app = await startWith();
  const backfill = { start: "2026-01-15T10:15:00Z", end: "2026-01-15T10:40:00Z" };
  const { status, body } = await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill });
  assertEquals([status, body.message], [
    422,
    "Invalid entity: backfill: end must lie before 2026-01-15T10:40:00Z, the next date of the schedule",
  ]);
});

Deno.test("PUT /triggers/set-disabled during a backfill leaves no next date, and the backfill where it is", async () => {
  await using app = await startWith({}, EFFECT, NEVER);
  await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill: BACKFILL });
  await app.advance(1_000);
  const { body } = await send(app, "PUT", "/triggers/set-disabled", { ...KEY, disabled: true });
  const { currentDate } = body.backfill as JsonObject;
  assertEquals([body.nextExecutionDate, currentDate], [undefined, "2026-01-15T09:10:00.000Z"]);
});

Deno.test("PUT /triggers/backfill/create without a date in its range is accepted and has ended", async () => {
  await using app = await startWith({}, EFFECT, NEVER);
  const backfill = { start: "2026-01-15T09:01:00Z", end: "2026-01-15T09:02:00Z" };
  const { status, body } = await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill });
  assertEquals([status, body.backfill, body.nextExecutionDate], [200, undefined, "2026-01-15T10:40:00.000Z"]);
  await app.advance(1_000);
  assertEquals((await executionsOf(app, "s")).length, 0);
});

Deno.test("POST /triggers/set-disabled/by-query reads the members of filters in any case", async () => {
  await using app = await startWith();
  const filters = [{ Field: "FLOW_ID", OPERATION: "equals", Value: "s" }, {
    field: "namespace",
    operation: "IN",
    value: ["demo"],
  }];
  const { status, body } = await send(app, "POST", "/triggers/set-disabled/by-query", { filters });
  assertEquals([status, body.count], [200, 1]);
  const none = { filters: [{ FIELD: "flowId", Operation: "NOT_EQUALS", VALUE: "s" }] };
  assertEquals((await send(app, "POST", "/triggers/set-disabled/by-query", none)).body.count, 0);
});

/** Requests that are refused, with the status. */
const REFUSED: readonly (readonly [method: string, path: string, body: unknown, status: number])[] = [
  ["PUT", "/triggers/set-disabled", { ...KEY, flowId: "x", disabled: true }, 404],
  ["PUT", "/triggers/set-disabled", { ...KEY, triggerId: "x", disabled: true }, 404],
  ["PUT", "/triggers/set-disabled", KEY, 422],
  ["PUT", "/triggers/set-disabled", { ...KEY, flowId: "x" }, 404],
  ["PUT", "/triggers", KEY, 422],
  ["PUT", "/triggers", { ...KEY, flowId: "x" }, 404],
  ["PUT", "/triggers", { ...KEY, triggerId: "x", backfill: {} }, 404],
  ["PUT", "/triggers/set-disabled", { disabled: true }, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, flowId: "l", backfill: BACKFILL }, 409],
  ["PUT", "/triggers/backfill/create", { ...KEY, flowId: "x", backfill: BACKFILL }, 404],
  ["PUT", "/triggers/backfill/create", { ...KEY, triggerId: "x" }, 404],
  ["PUT", "/triggers/backfill/create", KEY, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: {} }, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: { start: "soon" } }, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: { start: "2027-01-01T00:00:00Z" } }, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: { ...BACKFILL, end: "2020-01-01" } }, 422],
  [
    "PUT",
    "/triggers/backfill/create",
    { ...KEY, backfill: { start: "2026-01-15T10:31:00Z", end: "2026-01-15T10:32:00Z" } },
    422,
  ],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: { ...BACKFILL, paused: "yes" } }, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: { ...BACKFILL, inputs: [1] } }, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: { ...BACKFILL, labels: "a:b" } }, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: { ...BACKFILL, labels: ["a:b"] } }, 422],
  ["PUT", "/triggers/backfill/create", { ...KEY, backfill: { ...BACKFILL, labels: { a: "" } } }, 422],
  [
    "PUT",
    "/triggers/backfill/create",
    { ...KEY, backfill: { ...BACKFILL, labels: { "system.x": "1" } } },
    422,
  ],
  ["PUT", "/triggers/backfill/pause", KEY, 409],
  ["PUT", "/triggers/backfill/unpause", KEY, 409],
  ["POST", "/triggers/backfill/delete", KEY, 409],
  ["POST", "/triggers/demo/s/t/unlock", undefined, 409],
  ["POST", "/triggers/demo/s/x/unlock", undefined, 404],
  ["POST", "/triggers/demo/s/x/restart", undefined, 404],
  ["DELETE", "/triggers/demo/s/x", undefined, 404],
  ["GET", "/triggers/search?sort=color:asc", undefined, 422],
  ["GET", "/triggers/search?filters[color][EQUALS]=red", undefined, 400],
  ["POST", "/triggers/unlock/by-triggers", {}, 422],
  ["POST", "/triggers/set-disabled/by-query", { filters: "namespace" }, 400],
  ["POST", "/triggers/set-disabled/by-query", { filters: { field: "namespace", value: "demo" } }, 400],
  ["POST", "/triggers/set-disabled/by-query", [{ field: "namespace", value: "demo" }], 400],
  ["DELETE", "/triggers/delete/by-query", { filters: ["demo"] }, 400],
];

for (const [method, path, body, status] of REFUSED) {
  Deno.test(`${method} ${path} with ${JSON.stringify(body)} is refused with ${status}`, async () => {
    await using app = await startWith();
    await app.save(triggeredFlow("l", flowTrigger()));
    assertEquals((await send(app, method, path, body)).status, status);
  });
}

Deno.test("PUT /triggers/set-disabled cannot enable what its flow declares as disabled", async () => {
  await using app = await startWith({ disabled: true });
  assertEquals((await send(app, "PUT", "/triggers/set-disabled", { ...KEY, disabled: false })).status, 409);
});

Deno.test("POST /triggers/:namespace/:flowId/:triggerId/unlock lets a schedule continue beside its execution", async () => {
  await using app = await startWith({}, EFFECT, NEVER);
  await app.advance(12 * MINUTE);
  const state = await stateOf(app, "s");
  assertEquals([state.locked, typeof state.executionId], [true, "string"]);
  const { status, body } = await send(app, "POST", "/triggers/demo/s/t/unlock");
  assertEquals([status, body.locked, body.executionId], [200, false, undefined]);
  await app.advance(10 * MINUTE);
  assertEquals((await executionsOf(app, "s")).length, 2);
});

Deno.test("POST /triggers/:namespace/:flowId/:triggerId/restart counts dates from now", async () => {
  await using app = await startWith();
  app.clock.jump(30 * MINUTE);
  const { status, body } = await send(app, "POST", "/triggers/demo/s/t/restart");
  assertEquals([status, body.nextExecutionDate], [200, "2026-01-15T11:10:00.000Z"]);
});

Deno.test("DELETE /triggers/:namespace/:flowId/:triggerId forgets the state; the schedule stays", async () => {
  await using app = await startWith();
  await app.advance(12 * MINUTE);
  assertEquals((await send(app, "DELETE", "/triggers/demo/s/t")).status, 204);
  const { evaluations, date, nextExecutionDate } = await stateOf(app, "s");
  assertEquals([evaluations, date, nextExecutionDate], [[], undefined, "2026-01-15T10:50:00.000Z"]);
  await app.advance(10 * MINUTE);
  assertEquals((await executionsOf(app, "s")).length, 2);
});

/** Actions on many triggers: those of `s`, `u`, and one that is unknown. */
const BULK:
  readonly (readonly [method: string, path: string, body: unknown, count: number, total: number])[] = [
    [
      "POST",
      "/triggers/set-disabled/by-triggers",
      { triggers: [KEY, { ...KEY, flowId: "x" }], disabled: true },
      1,
      2,
    ],
    ["POST", "/triggers/set-disabled/by-query?disabled=true&flowId=s", undefined, 1, 1],
    ["POST", "/triggers/set-disabled/by-query?disabled=true", undefined, 2, 2],
    ["POST", "/triggers/backfill/pause/by-triggers", [KEY, { ...KEY, flowId: "u" }], 1, 2],
    ["POST", "/triggers/backfill/unpause/by-query", undefined, 1, 2],
    ["POST", "/triggers/backfill/delete/by-query", undefined, 1, 2],
    ["POST", "/triggers/unlock/by-query", undefined, 1, 2],
    ["DELETE", "/triggers/delete/by-triggers", [KEY], 1, 1],
    [
      "DELETE",
      "/triggers/delete/by-query",
      {
        filters: [{ field: "FLOWID", operation: "EQUALS", value: "u" }],
      },
      1,
      1,
    ],
  ];

for (const [method, path, body, count, total] of BULK) {
  Deno.test(`${method} ${path} applies to ${count} of ${total}`, async () => {
    await using app = await startWith({}, EFFECT, NEVER);
    await app.save(triggeredFlow("u", schedule(CRON), EFFECT));
    await send(app, "PUT", "/triggers/backfill/create", { ...KEY, backfill: BACKFILL });
    await app.advance(1_000);
    const answer = await send(app, method, path, body);
    assertEquals([answer.status, answer.body.count, answer.body.totalItems], [200, count, total]);
    assertEquals(typeof answer.body.operationId, "string");
  });
}

Deno.test("core.trigger.Toggle switches the trigger of a flow off", async () => {
  await using app = await startWith();
  await app.run(JSON.stringify({
    id: "toggle",
    namespace: "demo",
    tasks: [{
      id: "t",
      type: "io.kestra.plugin.core.trigger.Toggle",
      flowId: "s",
      trigger: "t",
      enabled: false,
    }],
  }));
  assertEquals((await stateOf(app, "s")).disabled, true);
});
