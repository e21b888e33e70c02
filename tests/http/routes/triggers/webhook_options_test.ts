import { assertEquals, assertMatch } from "@std/assert";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../../../src/base/json.ts";
import { type Effect, EFFECT_TYPE, Harness } from "../../../support/harness.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import {
  condition,
  evaluationsOf,
  executionsOf,
  stateOf,
  triggeredFlow,
} from "../../../support/flows/triggers.ts";

const PATH = "/executions/webhook/demo/w/key";
const OUTPUTS = [{ id: "text", type: "STRING", value: "{{ outputs.out.value }}" }];
const FAIL = { tasks: [{ id: "f", type: "io.kestra.plugin.core.execution.Fail" }] };

/** A server with the flow `w`, which a webhook with the key `key` starts. */
async function startWith(
  properties: JsonObject,
  members: JsonObject = {},
  effect?: Effect,
): Promise<Harness> {
  const app = await Harness.start({ effect });
  const trigger = { type: "io.kestra.plugin.core.trigger.Webhook", key: "key", ...properties };
  await app.save(triggeredFlow("w", trigger, members));
  return app;
}

async function post(app: Harness, body: BodyInit = "{}", path = PATH): Promise<Response> {
  return await app.request("POST", path, { body });
}

async function bodyOf(response: Response): Promise<JsonObject> {
  const value: JsonValue = parseJson(await response.text());
  return isJsonObject(value) ? value : {};
}

interface Case {
  readonly name: string;
  readonly properties: JsonObject;
  readonly members?: JsonObject;
  readonly body?: string;
  readonly status: number;
  readonly contentType?: string;
  /** The text of the response. */
  readonly text?: string;
  /** State in the response. */
  readonly state?: string;
}

const FORMAT = {
  tasks: [{ id: "out", type: "io.kestra.plugin.core.debug.Return", format: "{{ trigger.body.a }}" }],
};

const CASES: readonly Case[] = [
  { name: "answers at once without wait", properties: {}, status: 200, state: "CREATED" },
  { name: "answers with the ended execution", properties: { wait: true }, status: 200, state: "SUCCESS" },
  {
    name: "answers with the outputs",
    properties: { wait: true, returnOutputs: true },
    members: { ...FORMAT, outputs: OUTPUTS },
    body: '{"a":"hello"}',
    status: 200,
    contentType: "application/json",
    text: '{"text":"hello"}',
  },
  {
    name: "answers with the one output as a text",
    properties: { wait: true, returnOutputs: true, responseContentType: "text/plain" },
    members: { ...FORMAT, outputs: OUTPUTS },
    body: '{"a":"hello"}',
    status: 200,
    contentType: "text/plain",
    text: "hello",
  },
  {
    name: "answers with no outputs where there are none",
    properties: { wait: true, returnOutputs: true },
    status: 200,
    text: "{}",
  },
  { name: "answers with the given code", properties: { responseCode: 202 }, status: 202, state: "CREATED" },
  {
    name: "answers without a body to a code that has none",
    properties: { responseCode: 204 },
    status: 204,
    text: "",
  },
  {
    name: "renders the code with the outputs",
    properties: { wait: true, returnOutputs: true, responseCode: "{{ outputs.text }}" },
    members: { ...FORMAT, outputs: OUTPUTS },
    body: '{"a":201}',
    status: 201,
  },
  {
    name: "answers 500 when the awaited execution has failed",
    properties: { wait: true, returnOutputs: true, responseCode: 202 },
    members: FAIL,
    status: 500,
    state: "FAILED",
  },
  {
    name: "does not wait for a failure otherwise",
    properties: {},
    members: FAIL,
    status: 200,
    state: "CREATED",
  },
  {
    name: "starts when its conditions hold",
    properties: { conditions: [condition("Expression", { expression: "{{ trigger.body.a == 1 }}" })] },
    body: '{"a":1}',
    status: 200,
  },
  {
    name: "answers 204 when a condition is false",
    properties: { conditions: [condition("Expression", { expression: "{{ trigger.body.a == 1 }}" })] },
    body: '{"a":2}',
    status: 204,
    text: "",
  },
  {
    name: "answers 204 when `when` is false",
    properties: { when: "{{ trigger.body.a == 1 }}" },
    status: 204,
    body: '{"a":2}',
  },
  {
    name: "knows the older names of conditions",
    properties: {
      conditions: [{
        type: "io.kestra.core.models.conditions.types.VariableCondition",
        expression: "{{ trigger.body.a == 2 }}",
      }],
    },
    body: '{"a":1}',
    status: 204,
  },
  {
    name: "answers 204 when a condition names what the call does not have",
    properties: { conditions: [condition("Expression", { expression: "{{ trigger.body.a == 1 }}" })] },
    body: '{"b":1}',
    status: 204,
    text: "",
  },
  {
    name: "answers 204 when a condition has an invalid date",
    properties: {
      conditions: [
        condition("DateTimeBetween", { date: "{{ trigger.body.at }}", after: "2024-01-01T00:00:00Z" }),
      ],
    },
    body: '{"at":"soon"}',
    status: 204,
  },
  {
    name: "answers 204 when `when` has an error",
    properties: { when: "{{ 1 | noSuchFilter }}" },
    status: 204,
  },
  {
    name: "refuses a call while a condition needs what the server does not have",
    properties: { when: "{{ secret('NONE') }}" },
    status: 422,
  },
  {
    name: "refuses inputs that mean nothing",
    properties: { inputs: { n: "{{ trigger.body.nothing }}" } },
    members: { inputs: [{ id: "n", type: "INT" }] },
    status: 422,
  },
  {
    name: "gives a required input without a value as null",
    members: {
      inputs: [{ id: "n", type: "INT" }],
      tasks: [{
        id: "t",
        type: "io.kestra.plugin.core.execution.Assert",
        conditions: ["{{ inputs.n is null }}"],
      }],
    },
    properties: { wait: true },
    status: 200,
    state: "SUCCESS",
  },
  {
    name: "refuses inputs of another type",
    properties: { inputs: { n: "{{ trigger.body.a }}" } },
    members: { inputs: [{ id: "n", type: "INT" }] },
    body: '{"a":"many"}',
    status: 422,
  },
];

for (const { name, properties, members, body, status, contentType, text, state } of CASES) {
  Deno.test(`POST /executions/webhook/… ${name}`, async () => {
    await using app = await startWith(properties, members);
    const response = await post(app, body);
    assertEquals(response.status, status);
    if (contentType !== undefined) assertEquals(response.headers.get("content-type"), contentType);
    const answer = await response.text();
    if (text !== undefined) assertEquals(answer, text);
    if (state !== undefined) assertMatch(answer, new RegExp(`"state":\\{"current":"${state}"`));
    const isStarted = status !== 422 && (status !== 204 || "responseCode" in properties);
    assertEquals((await executionsOf(app, "w")).length, isStarted ? 1 : 0);
  });
}

for (const wait of [true, false]) {
  Deno.test(`POST /executions/webhook/… with wait ${wait} reports a code that cannot be rendered`, async () => {
    await using app = await startWith({ wait, responseCode: "{{ outputs.nothing }}" });
    const response = await app.request("POST", PATH, { body: "{}" });
    assertEquals(response.status, 422);
    assertMatch(await response.text(), /Unable to find `outputs/);
    assertEquals((await executionsOf(app, "w")).length, 1);
  });
}

Deno.test("POST /executions/webhook/… waits until the execution has ended", async () => {
  let release = () => {};
  const effect: Effect = () => new Promise((resolve) => release = () => resolve({ state: "SUCCESS" }));
  await using app = await startWith({ wait: true }, { tasks: [{ id: "e", type: EFFECT_TYPE }] }, effect);
  let isAnswered = false;
  const answer = post(app).then((response) => (isAnswered = true, response));
  await settle();
  assertEquals(isAnswered, false);
  release();
  assertEquals((await bodyOf(await answer)).taskRunList instanceof Array, true);
});

Deno.test("POST /executions/webhook/… gives inputs and labels from the call", async () => {
  const properties = {
    inputs: { n: "{{ trigger.body.n }}" },
    labels: { who: "{{ trigger.headers['x-who'][0] }}" },
  };
  await using app = await startWith(properties, { inputs: [{ id: "n", type: "INT" }] });
  const headers = { "x-who": "ada", "content-type": "application/json" };
  const answer = await bodyOf(await app.request("POST", PATH, { body: '{"n":5}', headers }));
  assertEquals(answer.inputs, { n: 5 });
  const [execution] = await executionsOf(app, "w");
  assertEquals([execution?.labels.who, execution?.labels["system.correlationId"]], [
    "ada",
    String(answer.id),
  ]);
});

/** Labels of a webhook of which `bad` cannot be rendered, as a map and as a list. */
const LABELS: readonly JsonValue[] = [
  { ok: "{{ trigger.body.a }}", bad: "{{ nope }}", last: "c" },
  [{ key: "ok", value: "{{ trigger.body.a }}" }, { key: "bad", value: "{{ nope }}" }, {
    key: "last",
    value: "c",
  }],
];

for (const labels of LABELS) {
  const form = Array.isArray(labels) ? "list" : "map";
  Deno.test(`POST /executions/webhook/… leaves out a label of a ${form} that cannot be rendered`, async () => {
    await using app = await startWith({ labels }, { labels: { team: "blue" } });
    const answer = await bodyOf(await post(app, '{"a":"b"}'));
    const [execution] = await executionsOf(app, "w");
    const { "system.correlationId": _, ...others } = execution?.labels ?? {};
    assertEquals(others, { team: "blue", ok: "b", last: "c" });
    const [line] = await app.json("GET", `/logs/${answer.id}?minLevel=WARN`) as unknown as JsonObject[];
    assertMatch(String(line?.message), /^Label "bad" of the trigger is left out: .*nope/);
  });
}

Deno.test("POST /executions/webhook/… refuses labels that are no map after rendering", async () => {
  await using app = await startWith({ labels: "{{ trigger.body.a }}" });
  const response = await post(app, '{"a":"b"}');
  assertEquals([response.status, (await bodyOf(response)).message], [
    422,
    'Invalid entity: Cannot read the labels of the trigger: "b" is no map',
  ]);
});

/** What follows the key, for a trigger with the path `orders/new` and one without. */
const PATHS: readonly (readonly [declared: JsonObject, path: string, status: number])[] = [
  [{}, PATH, 200],
  [{}, `${PATH}/orders`, 404],
  [{}, `${PATH}/`, 404],
  [{}, `${PATH}//`, 404],
  [{ path: "orders/new" }, `${PATH}/orders/new`, 200],
  [{ path: "/orders/new" }, `${PATH}/orders/new`, 200],
  [{ path: "orders/new/" }, `${PATH}/orders/new`, 200],
  [{ path: "orders/new" }, `${PATH}//orders/new/`, 200],
  [{ path: "/" }, `${PATH}/`, 404],
  [{ path: "orders/new" }, `${PATH}/orders`, 404],
  [{ path: "orders/new" }, PATH, 404],
  [{ path: "a b" }, `${PATH}/a%20b`, 200],
];

for (const [declared, path, status] of PATHS) {
  Deno.test(`POST ${path} of a webhook with ${JSON.stringify(declared)} returns ${status}`, async () => {
    await using app = await startWith(declared);
    const response = await post(app, "{}", path);
    assertEquals(response.status, status);
    await response.body?.cancel();
  });
}

Deno.test("POST /executions/webhook/… keeps the files of a form with the execution", async () => {
  await using app = await startWith({});
  const form = new FormData();
  form.append("color", "red");
  form.append("color", "blue");
  form.append("file", new File(["hello"], "../a b.txt", { type: "text/plain" }));
  form.append("dots", new File(["there"], "x/..", { type: "text/plain" }));
  const answer = await bodyOf(await post(app, form));
  const [execution] = await executionsOf(app, "w");
  const parts = execution?.trigger.parts as JsonObject[];
  assertEquals(execution?.trigger.formFields, { color: ["red", "blue"] });
  assertEquals(parts.map(({ uri: _, ...facts }) => facts), [
    { name: "file", filename: "../a b.txt", fileName: "../a b.txt", contentType: "text/plain", size: 5 },
    { name: "dots", filename: "x/..", fileName: "x/..", contentType: "text/plain", size: 5 },
  ]);
  for (const [index, name, text] of [[0, "a_b.txt", "hello"], [1, "file", "there"]] as const) {
    const uri = String(parts[index]?.uri);
    assertMatch(uri, new RegExp(`/executions/${answer.id}/webhook/${index}/${name}$`));
    const file = await app.request("GET", `/executions/${answer.id}/file?path=${encodeURIComponent(uri)}`);
    assertEquals([file.status, await file.text()], [200, text]);
  }
});

Deno.test("POST /executions/webhook/… returns bytes that are no text as Base64", async () => {
  await using app = await startWith({});
  const response = await post(app, new Uint8Array([255, 254, 0]));
  await response.body?.cancel();
  assertEquals((await executionsOf(app, "w"))[0]?.trigger.body, "//4A");
});

/** How a body arrives, and what expressions find of it; the stored file where there is one. */
const USES: readonly (readonly [use: string, body: BodyInit, names: string[], file?: string])[] = [
  ["FETCH", "{}", ["body", "headers", "parameters"]],
  ["STORE", "{}", ["headers", "parameters", "uri"], "{}"],
  ["STORE", "x".repeat(3_000_000), ["headers", "parameters", "uri"], "x".repeat(3_000_000)],
  ["NONE", "{}", ["headers", "parameters"]],
];

for (const [fetchType, body, names, file] of USES) {
  Deno.test(`POST /executions/webhook/… with fetchType ${fetchType} of ${String(body).length} bytes`, async () => {
    await using app = await startWith({ fetchType });
    const answer = await bodyOf(await post(app, body));
    const [execution] = await executionsOf(app, "w");
    assertEquals(Object.keys(execution?.trigger ?? {}).sort(), names);
    if (file === undefined) return;
    const uri = String(execution?.trigger.uri);
    assertMatch(uri, new RegExp(`/executions/${answer.id}/webhook/body$`));
    const path = encodeURIComponent(uri);
    const stored = await app.request("GET", `/executions/${answer.id}/file?path=${path}`);
    assertEquals([stored.status, (await stored.text()) === file], [200, true]);
  });
}

Deno.test("POST /executions/webhook/… stores the files of a form and no body with fetchType STORE", async () => {
  await using app = await startWith({ fetchType: "STORE" });
  const form = new FormData();
  form.append("file", new File(["hello"], "a.txt"));
  await bodyOf(await post(app, form));
  const [execution] = await executionsOf(app, "w");
  assertEquals(Object.keys(execution?.trigger ?? {}).sort(), [
    "formFields",
    "headers",
    "parameters",
    "parts",
  ]);
});

Deno.test("POST /executions/webhook/… refuses a stored body that is larger than an upload may be", async () => {
  await using app = await Harness.start({ maxUploadBytes: 1_000 });
  const trigger = { type: "io.kestra.plugin.core.trigger.Webhook", key: "key", fetchType: "STORE" };
  await app.save(triggeredFlow("w", trigger));
  assertEquals((await bodyOf(await post(app, "x".repeat(1_001)))).status, 413);
  assertEquals(await executionsOf(app, "w"), []);
});

/** A trigger, a call, and its log line, which contains nothing of the call. */
const NOTES:
  readonly (readonly [properties: JsonObject, members: JsonObject, body: string, noted: string])[] = [
    [{}, {}, "{}", "STARTED"],
    [{ when: "{{ trigger.body.a == 1 }}" }, {}, '{"a":2}', "SKIPPED: `when` is false"],
    [
      { conditions: [condition("Expression", { expression: "{{ trigger.body.a }}" })] },
      {},
      '{"a":false}',
      'SKIPPED: Condition "Expression" is false',
    ],
    [
      { when: "{{ trigger.body.a | toJson('sesame') | noSuchFilter }}" },
      {},
      '{"a":"sesame"}',
      "SKIPPED: Its conditions cannot be evaluated",
    ],
    [
      { when: "{{ trigger.body[trigger.body.a] == 1 }}" },
      {},
      '{"a":"sesame"}',
      "SKIPPED: Its conditions name what the call does not have",
    ],
    [
      { when: "{{ secret(trigger.body.a) }}" },
      {},
      '{"a":"sesame"}',
      "SKIPPED: Its conditions cannot be read; the caller was told why",
    ],
    [
      { inputs: { n: "{{ trigger.body.a }}" } },
      { inputs: [{ id: "n", type: "INT" }] },
      '{"a":"sesame"}',
      'SKIPPED: Its input "n" is invalid; the caller was told why',
    ],
    [{ disabled: true }, {}, "{}", "SKIPPED: It is disabled"],
    [{}, { disabled: true }, "{}", "SKIPPED: Its flow is disabled"],
    [{}, {}, `"${"x".repeat(2_000_000)}"`, "SKIPPED: The body is too large"],
  ];

for (const [properties, members, body, noted] of NOTES) {
  Deno.test(`POST /executions/webhook/… of ${JSON.stringify({ ...properties, ...members })} notes ${noted}`, async () => {
    await using app = await startWith(properties, members);
    const response = await post(app, body);
    const told = await response.text();
    const state = await stateOf(app, "w");
    assertEquals(evaluationsOf(state), [noted]);
    assertEquals(JSON.stringify(state).includes("sesame"), false, told);
    assertEquals(typeof state.date, noted === "STARTED" ? "string" : "undefined");
  });
}

Deno.test("POST /executions/webhook/… notes nothing for a wrong key", async () => {
  await using app = await startWith({});
  assertEquals((await bodyOf(await post(app, "{}", "/executions/webhook/demo/w/other"))).status, 404);
  assertEquals(evaluationsOf(await stateOf(app, "w")), []);
});

Deno.test("POST /executions/webhook/… of refused calls writes rarely, and reports the last of them", async () => {
  let writes = 0;
  await using app = await Harness.start({
    wrap: (store) =>
      new Proxy(store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== "function") return member;
          if (name === "commit") writes++;
          return member.bind(target);
        },
      }),
  });
  const trigger = { type: "io.kestra.plugin.core.trigger.Webhook", key: "key", when: "{{ false }}" };
  await app.save(triggeredFlow("w", trigger));
  const before = writes;
  for (let count = 0; count < 50; count++) assertEquals((await post(app)).status, 204);
  assertEquals(writes - before, 0);
  await app.advance(5_000);
  assertEquals(writes - before <= 1, true, `${writes - before} writes`);
  const later = await app.crash();
  await using _ = later;
  assertEquals(evaluationsOf(await stateOf(later, "w")), ["SKIPPED: `when` is false"]);
});

Deno.test("POST /executions/webhook/… keeps the last evaluations, also those noted while they are stored", async () => {
  await using app = await startWith({});
  for (let count = 0; count < 30; count++) await bodyOf(await post(app));
  await Promise.all([app.advance(5_000), bodyOf(await post(app))]);
  const { evaluations } = await stateOf(app, "w") as { evaluations: JsonObject[] };
  const ids = evaluations.map(({ executionId }) => executionId);
  const started = (await executionsOf(app, "w")).map(({ id }) => id).reverse();
  assertEquals(ids, started.slice(0, 20));
  await app.json("DELETE", "/triggers/demo/w/t");
  assertEquals(evaluationsOf(await stateOf(app, "w")), []);
});

Deno.test("POST /executions/webhook/… of a trigger that was switched off is not found", async () => {
  await using app = await startWith({});
  const body = JSON.stringify({ namespace: "demo", flowId: "w", triggerId: "t", disabled: true });
  await app.json("PUT", "/triggers/set-disabled", { body });
  assertEquals((await bodyOf(await post(app))).status, 404);
});

Deno.test("POST /executions/webhook/… stops when an execution ends in a state of stopAfter", async () => {
  await using app = await startWith({ stopAfter: ["FAILED"] }, FAIL);
  const first = await post(app);
  await first.body?.cancel();
  await settle();
  const second = await post(app);
  await second.body?.cancel();
  assertEquals([first.status, second.status], [200, 404]);
});

Deno.test("POST /flows refuses a responseContentType that would add a header", async () => {
  await using app = await Harness.start();
  for (
    const responseContentType of [
      "text/plain\r\nset-cookie: a=b",
      "text/plain\n",
      "text/plain\u0000",
      "",
      "ä",
    ]
  ) {
    const trigger = { type: "io.kestra.plugin.core.trigger.Webhook", key: "key", responseContentType };
    const init = { body: triggeredFlow("w", trigger), headers: { "content-type": "application/x-yaml" } };
    const response = await app.request("POST", "/flows", init);
    assertEquals([response.status, (await response.text()).includes("responseContentType")], [422, true]);
  }
});
