/** Executions on a complete server: every way to start, wait for, follow, find, stop and delete one. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../src/base/json.ts";
import { EventReader } from "../http/event_reader.ts";
import { FAKE_START, settle } from "../support/fakes/fake_clock.ts";
import { Harness } from "../support/harness.ts";
import { flowSource } from "./refusals.ts";
import { fileForm, json, multipart, yaml } from "../support/flows/request_bodies.ts";

const INPUTS = "inputs:\n  - id: name\n    type: STRING\n    defaults: World\n" +
  "  - id: count\n    type: INT\n    required: false\n";
const SLEEP = "id: slow\nnamespace: demo\ntasks:\n  - id: before\n    type: io.svc.plugin.core.log.Log\n" +
  "    message: before\n  - id: nap\n    type: io.svc.plugin.core.flow.Sleep\n    duration: PT1M\n" +
  "  - id: after\n    type: io.svc.plugin.core.log.Log\n    level: WARN\n    message: after\n";

async function object(answer: Promise<JsonValue>): Promise<JsonObject> {
  const value = await answer;
  assert(isJsonObject(value), `${JSON.stringify(value)} is no object`);
  return value;
}

function field(name: string, value: string): string {
  return `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
}

const STARTS: readonly (readonly [what: string, init: RequestInit, inputs: object])[] = [
  ["no body and no content type", {}, { name: "World", count: null }],
  ["a content type and no body", { headers: { "content-type": "application/json" } }, {
    name: "World",
    count: null,
  }],
  ["the closing boundary alone", multipart(), { name: "World", count: null }],
  ["a multipart form", multipart(field("name", "Ann"), field("count", "3")), { name: "Ann", count: 3 }],
  ["stray parts", multipart(field("0", "{}"), field("name", "Ann")), { name: "Ann", count: null }],
  ["a url-encoded form", { body: new URLSearchParams({ name: "A&B", count: "-3" }) }, {
    name: "A&B",
    count: -3,
  }],
  ["an empty number", multipart(field("count", "")), { name: "World", count: null }],
];
for (const path of ["/executions/demo/hello", "/executions/trigger/demo/hello"]) {
  for (const [what, init, inputs] of STARTS) {
    Deno.test(`POST ${path} starts with ${what}, and the execution runs`, async () => {
      await using server = await Harness.start();
      await server.save(flowSource("hello", INPUTS, "{{ inputs.name }}"));
      const started = await object(server.json("POST", path, init));
      assertEquals([started.inputs, ownProperty(started, "taskRunList")], [inputs, undefined]);
      await settle();
      const execution = await server.execution(started.id);
      assertEquals(execution.state.current, "SUCCESS");
      assertEquals(execution.taskRunList[0]?.outputs, { value: (inputs as { name: string }).name });
    });
  }
}

Deno.test("POST /executions labels: those of the flow without system labels, then of the request, then the correlation id", async () => {
  await using server = await Harness.start();
  await server.save(
    flowSource("hello", "labels: {env: dev, team: blue, system.readOnly: true}\n", "{{ labels.env }}"),
  );
  const query = "?labels=env:prod&labels=note:a:b&labels=system.correlationId:mine&labels=system.from:ui";
  const { labels, id } = await server.start("hello", {}, query);
  assertEquals(labels, [
    { key: "env", value: "prod" },
    { key: "team", value: "blue" },
    { key: "note", value: "a:b" },
    { key: "system.correlationId", value: "mine" },
    { key: "system.from", value: "ui" },
  ]);
  await settle();
  assertEquals((await server.execution(id)).taskRunList[0]?.outputs, { value: "prod" });
});

Deno.test("POST /executions with wait=true returns the whole execution once it has ended", async () => {
  await using server = await Harness.start();
  await server.save(SLEEP);
  let hasAnswered = false;
  const answer = server.start("slow", {}, "?wait=true").finally(() => hasAnswered = true);
  await server.advance(59_000);
  assertEquals(hasAnswered, false);
  await server.advance(2_000);
  const { state, taskRunList, url } = await answer;
  assert(isJsonObject(state) && Array.isArray(taskRunList));
  assertEquals([state.current, state.duration, taskRunList.length], ["SUCCESS", 60, 3]);
  assertMatch(String(url), /\/ui\/executions\/demo\/slow\//);
});

Deno.test("POST /executions with revision runs that revision, with its tasks", async () => {
  await using server = await Harness.start();
  await server.save(flowSource("hello", "", "first"));
  await server.json("PUT", "/flows/demo/hello", yaml(flowSource("hello", "", "second")));
  const outputs: unknown[] = [];
  for (const query of ["?revision=1", "?revision=2", ""]) {
    const { id, flowRevision } = await server.start("hello", {}, query);
    await settle();
    outputs.push([flowRevision, (await server.execution(id)).taskRunList[0]?.outputs.value]);
  }
  assertEquals(outputs, [[1, "first"], [2, "second"], [2, "second"]]);
});

Deno.test("POST /executions with scheduleDate stays CREATED until then, through a crash too", async () => {
  await using server = await Harness.start();
  await server.save(flowSource());
  const at = new Date(FAKE_START + 3_600_000).toISOString();
  const { id, scheduleDate } = await server.start(
    "hello",
    {},
    `?scheduleDate=${at.replace("Z", "%2B00:00")}`,
  );
  assertEquals(scheduleDate, at);
  await server.advance(3_000_000);
  assertEquals((await server.execution(id)).state.current, "CREATED");
  await using again = await server.crash();
  await again.advance(500_000);
  assertEquals((await again.execution(id)).state.current, "CREATED");
  await again.advance(200_000);
  assertEquals((await again.execution(id)).state.current, "SUCCESS");
});

Deno.test("GET /executions/:id/follow sends start, progress for each change, and end", async () => {
  await using server = await Harness.start();
  await server.save(SLEEP);
  const { id } = await server.start("slow");
  await using reader = new EventReader(await server.request("GET", `/executions/${id}/follow`));
  await server.advance(61_000);
  const { events, isEnded } = reader;
  assertEquals([events.at(0)?.id, events.at(0)?.data.id, isEnded], ["start", id, true]);
  assertEquals(events.at(0)?.data.state.current, "RUNNING");
  const middle = events.slice(1, -1);
  assertEquals(new Set(middle.map((event) => event.id)), new Set(["progress"]));
  assertEquals([events.at(-1)?.id, events.at(-1)?.data.state.current], ["end", "SUCCESS"]);
  assertEquals(events.at(-1)?.data.taskRunList.length, 3);
  await using late = new EventReader(await server.request("GET", `/executions/${id}/follow`));
  await settle();
  assertEquals([late.ids, late.isEnded], ["end", true]);
});

/** Executions of several flows, namespaces, labels and states; gives their ids by the name of what they are. */
async function seedExecutions(server: Harness): Promise<ReadonlyMap<string, string>> {
  await server.save(flowSource("ok"));
  await server.save(flowSource("okay").replace("demo", "demo.sub"));
  await server.save(flowSource("bad", "labels:\n  team: red\n", "{{ missing }}"));
  await server.save(SLEEP.replace("demo", "other"));
  const ids = new Map<string, string>();
  const starts: readonly (readonly [name: string, path: string])[] = [
    ["ok", "demo/ok?labels=env:prod"],
    ["sub", "demo.sub/okay?labels=env:prod&labels=team:red"],
    ["bad", "demo/bad?labels=env:dev"],
    ["slow", "other/slow"],
    ["test", "demo/ok?kind=TEST"],
  ];
  for (const [name, path] of starts) {
    ids.set(name, String((await object(server.json("POST", `/executions/${path}`))).id));
    await server.advance(1_000);
  }
  return ids;
}

const at = (seconds: number) => new Date(FAKE_START + seconds * 1000).toISOString();
/** `[query, names of the results, newest first]`; the first form is flat, the second `filters[…]`. */
const SEARCHES: readonly (readonly [query: string, names: string])[] = [
  ["", "slow bad sub ok"],
  ["size=2", "slow bad"],
  ["size=2&page=2", "sub ok"],
  ["page=9", ""],
  ["sort=state.startDate:asc", "ok sub bad slow"],
  ["sort=flowId:asc", "bad ok sub slow"],
  ["namespace=demo", "bad sub ok"],
  ["filters[namespace][PREFIX]=demo", "bad sub ok"],
  ["filters[namespace][EQUALS]=demo", "bad ok"],
  ["filters[namespace][IN]=demo.sub,other", "slow sub"],
  ["filters[namespace][NOT_IN]=demo,other", "sub"],
  ["filters[namespace][STARTS_WITH]=de&filters[namespace][ENDS_WITH]=sub", "sub"],
  ["filters[namespace][CONTAINS]=the", "slow"],
  ["filters[namespace][REGEX]=^demo\\..*", "sub"],
  ["flowId=ok", "ok"],
  ["filters[flowId][NOT_EQUALS]=ok", "slow bad sub"],
  ["state=FAILED", "bad"],
  ["state=FAILED&state=RUNNING", "slow bad"],
  ["filters[state][IN]=FAILED,RUNNING", "slow bad"],
  ["filters[state][NOT_EQUALS]=SUCCESS", "slow bad"],
  ["labels=env:prod", "sub ok"],
  ["labels=env:prod&labels=team:red", "sub"],
  ["filters[labels][EQUALS][env]=prod", "sub ok"],
  ["filters[labels][NOT_EQUALS][env]=prod", "slow bad"],
  ["filters[labels][EQUALS]=team:red", "bad sub"],
  ["q=sub", "sub"],
  ["q=DEMO OK", "sub ok"],
  ["q=*", "slow bad sub ok"],
  ["filters[q][EQUALS]=slow", "slow"],
  [`startDate=${at(1)}&endDate=${at(2)}`, "bad sub"],
  [`filters[startDate][GREATER_THAN]=${at(1)}`, "slow bad"],
  [`filters[startDate][LESS_THAN_OR_EQUAL_TO]=${at(1)}`, "sub ok"],
  ["timeRange=PT3S", "slow bad"],
  ["kind=TEST", "test"],
  ["filters[kind][IN]=TEST,NORMAL&filters[namespace][EQUALS]=demo", "test bad ok"],
  ["scope=SYSTEM", ""],
  ["filters[scope][EQUALS]=USER", "slow bad sub ok"],
  ["childFilter=MAIN&state=SUCCESS", "sub ok"],
  ["childFilter=CHILD", ""],
  ["filters[or][0][flowId][EQUALS]=ok&filters[or][1][state][EQUALS]=FAILED", "bad ok"],
];
Deno.test("GET /executions/search finds what filters say, in both syntaxes, with an exact total", async () => {
  await using server = await Harness.start();
  const names = new Map([...await seedExecutions(server)].map(([name, id]) => [id, name]));
  for (const [query, expected] of SEARCHES) {
    const found = await object(
      server.json("GET", `/executions/search?${encodeURI(query).replaceAll("+", "%2B")}`),
    );
    const results = found.results as JsonObject[];
    assertEquals(results.map(({ id }) => names.get(String(id))).join(" "), expected, query);
    assertEquals(results.some((result) => Object.hasOwn(result, "taskRunList")), false);
    const total = /page|size/.test(query) ? 4 : expected.split(" ").filter((name) => name !== "").length;
    assertEquals(found.total, total, query);
  }
});

Deno.test("GET /executions lists those of one flow", async () => {
  await using server = await Harness.start();
  const ids = await seedExecutions(server);
  const found = await object(server.json("GET", "/executions?namespace=demo&flowId=bad"));
  assertEquals([(found.results as JsonObject[]).map(({ id }) => id), found.total], [
    [ids.get("bad") ?? ""],
    1,
  ]);
});

Deno.test("GET /executions/search is right at once, and again after a crash", async () => {
  await using server = await Harness.start();
  await server.save(flowSource());
  const ids: JsonValue[] = [];
  for (let count = 1; count <= 5; count++) {
    ids.unshift((await server.start("hello")).id ?? null);
    const { results, total } = await object(server.json("GET", "/executions/search"));
    assertEquals([(results as JsonObject[]).map(({ id }) => id), total], [ids, count]);
  }
  await using again = await server.crash();
  await settle();
  const { results, total } = await object(again.json("GET", "/executions/search?state=SUCCESS"));
  assertEquals([(results as JsonObject[]).length, total], [5, 5]);
});

for (const path of ["kill", "actions/kill"]) {
  for (const method of ["DELETE", "POST"]) {
    Deno.test(`${method} /executions/:id/${path} stops a running execution, once`, async () => {
      await using server = await Harness.start();
      await server.save(SLEEP);
      const { id } = await server.start("slow");
      await server.advance(1_000);
      const killed = await object(server.json(method, `/executions/${id}/${path}`));
      assertEquals(killed.id, id);
      await settle();
      const execution = await server.execution(id);
      assertEquals(execution.state.histories.map(({ state }) => state).slice(-2), ["KILLING", "KILLED"]);
      assertEquals(execution.taskRunList.map(({ state }) => state.current), ["SUCCESS", "KILLED"]);
      assertEquals((await server.request(method, `/executions/${id}/${path}`)).status, 409);
      await server.advance(120_000);
      assertEquals((await server.execution(id)).state.current, "KILLED");
    });
  }
}

Deno.test("DELETE /executions/:id deletes it with its logs and files, a running one too", async () => {
  await using server = await Harness.start();
  await server.save(SLEEP);
  const { id } = await server.start("slow");
  await settle();
  assertEquals((await server.request("DELETE", `/executions/${id}`)).status, 204);
  for (const path of [`/executions/${id}`, `/ui/executions/demo/slow/${id}`]) {
    assertEquals((await server.request("GET", path)).status, 404, path);
  }
  assertEquals(await server.json("GET", `/logs/${id}`), []);
  assertEquals(await server.json("GET", "/executions/search"), { results: [], total: 0 });
  await server.advance(120_000);
  assertEquals(await server.json("GET", "/executions/search"), { results: [], total: 0 });
  assertEquals((await server.request("DELETE", `/executions/${id}`)).status, 404);
});

Deno.test("GET /logs/:executionId lists lines, filters, downloads and deletes them", async () => {
  await using server = await Harness.start();
  await server.save(SLEEP);
  const { id } = await server.start("slow");
  await server.advance(61_000);
  const lines = async (query = "") => {
    const entries = await server.json("GET", `/logs/${id}${query}`) as JsonObject[];
    return entries.map(({ taskId, level, message }) => `${taskId} ${level} ${message}`);
  };
  assertEquals(await lines(), ["before INFO before", "nap INFO Waiting for PT1M", "after WARN after"]);
  assertEquals(await lines("?minLevel=WARN"), ["after WARN after"]);
  assertEquals(await lines("?taskId=before"), ["before INFO before"]);
  const download = await server.request("GET", `/logs/${id}/download`);
  assertEquals(download.headers.get("content-disposition"), `attachment; filename="${id}.log"`);
  assertMatch(
    await download.text(),
    /^2026-01-15T10:30:00.000Z INFO {2}before\n.*INFO {2}Waiting for PT1M\n.*WARN {2}after\n$/,
  );
  assertEquals((await server.request("DELETE", `/logs/${id}`)).status, 200);
  assertEquals([await lines(), (await server.execution(id)).state.current], [[], "SUCCESS"]);
});

Deno.test("GET /logs/:executionId/follow replays what is stored, continues, and ends with the execution", async () => {
  await using server = await Harness.start();
  await server.save(SLEEP);
  const { id } = await server.start("slow");
  await server.advance(1_000);
  await using reader = new EventReader(await server.request("GET", `/logs/${id}/follow?minLevel=INFO`));
  await server.advance(1_000);
  assertEquals([reader.ids, reader.isEnded], ["start progress progress", false]);
  await server.advance(61_000);
  const messages = reader.events.slice(1).map(({ data }) => data.message);
  assertEquals(messages, ["before", "Waiting for PT1M", "after"]);
  assertEquals(reader.isEnded, true);
});

Deno.test("a FILE input is stored, and its place is what expressions see", async () => {
  await using server = await Harness.start();
  const input = "inputs:\n  - id: data\n    type: FILE\n";
  await server.save(flowSource("hello", input, "{{ inputs.data }}"));
  const names: readonly (readonly [part: string, fileName: string])[] = [
    ["data", "my data.csv"],
    ["data", "größe.csv"],
    ["files", "data"],
  ];
  for (const [part, fileName] of names) {
    const init = fileForm("content", fileName, part);
    const { id, inputs } = await object(server.json("POST", "/executions/demo/hello", init));
    const uri = isJsonObject(inputs) ? String(inputs.data) : "";
    assertMatch(
      uri,
      new RegExp(`^[a-z]+:///demo/hello/executions/${id}/inputs/data/(my%20data.csv|größe.csv|data.upl)$`),
    );
    await settle();
    assertEquals((await server.execution(id)).taskRunList[0]?.outputs, { value: uri });
  }
  const text = await server.request("POST", "/executions/demo/hello", {
    body: new URLSearchParams({ data: "x" }),
  });
  await text.body?.cancel();
  assertEquals(text.status, 422);
});

Deno.test("POST /executions/webhook hands body, headers and parameters to the flow, whatever the method", async () => {
  await using server = await Harness.start();
  const trigger = "triggers:\n  - id: hook\n    type: io.svc.plugin.core.trigger.Webhook\n    key: k1\n";
  await server.save(
    flowSource("hello", trigger, "{{ trigger.body ?? 'none' }} {{ trigger.parameters.a[0] }}"),
  );
  const outputs: unknown[] = [];
  const calls: readonly (readonly [method: string, init: RequestInit])[] = [
    ["GET", {}],
    ["POST", json({ b: [1, 2.5] })],
    ["PUT", { headers: { "content-type": "text/plain" }, body: "plain" }],
    ["POST", { body: new URLSearchParams({ c: "d" }) }],
  ];
  for (const [method, init] of calls) {
    const { id, state, trigger } = await object(
      server.json(method, "/executions/webhook/demo/hello/k1?a=z", init),
    );
    assertEquals([isJsonObject(state) && state.current, isJsonObject(trigger) && trigger.id], [
      "CREATED",
      "hook",
    ]);
    await settle();
    outputs.push((await server.execution(id)).taskRunList[0]?.outputs.value);
  }
  assertEquals(outputs, ["none z", '{"b":[1,2.5]} z', "plain z", "c=d z"]);
});

Deno.test("POST /flows saves a flow with a broken expression with a warning, and its task run fails", async () => {
  await using app = await Harness.start();
  const source =
    `id: broken\nnamespace: demo\ntasks:\n  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: "{{ get missing }}"\n`;
  const [check] = await app.json("POST", "/flows/validate", yaml(source)) as {
    constraints?: string;
    warnings: string[];
  }[];
  assertEquals(check?.constraints, undefined);
  assertEquals(check?.warnings.length, 1);
  const execution = await app.run(source);
  assertEquals(execution.state.current, "FAILED");
});
