import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { json, yaml } from "../../support/flows/request_bodies.ts";

const YAML = { "content-type": "application/x-yaml" };
const ACCEPTS = [
  "*/*",
  "text/csv, text/plain, application/json, application/octet-stream",
  "application/json",
];

function source(id: string, namespace = "demo", more = ""): string {
  return `id: ${id}\nnamespace: ${namespace}\n${more}tasks:\n` +
    "  - id: a\n    type: io.svc.plugin.core.debug.Return\n    format: a\n";
}

const SCHEDULE =
  'triggers:\n  - id: t\n    type: io.svc.plugin.core.trigger.Schedule\n    cron: "0 0 1 1 *"\n';
const HOOK = "triggers:\n  - id: hook\n    type: io.svc.plugin.core.trigger.Webhook\n    key: k1\n";
const PAUSE = "id: pause\nnamespace: demo\ntasks:\n  - id: p\n    type: io.svc.plugin.core.flow.Pause\n";

/** Literal segments where a parameter would match too: the request, and a part of the response of the literal route. */
const LITERALS: readonly (readonly [method: string, path: string, init: RequestInit, answer: RegExp])[] = [
  ["GET", "/flows/search", {}, /"results":/],
  ["GET", "/flows/source?q=Return", {}, /"fragments":/],
  ["GET", "/flows/distinct-namespaces", {}, /^\["/],
  ["GET", "/flows/deprecated", {}, /^\[\]$/],
  ["POST", "/flows/bulk?delete=false", yaml(source("b")), /^\[\{"id":"b"/],
  ["POST", "/flows/validate", yaml(source("v")), /^\[\{"index":0/],
  ["POST", "/flows/graph", yaml(source("g")), /"clusters":/],
  ["POST", "/flows/expressions", yaml(source("e")), /^[[{]/],
  ["GET", "/executions/search", {}, /"results":/],
  ["POST", "/executions/latest", json("[]"), /^\[\]$/],
  ["GET", "/executions/namespaces", {}, /^\["/],
  ["GET", "/executions/webhook/demo/unknown/k", {}, /Webhook not found/],
  ["POST", "/executions/trigger/search/search", {}, /"flowId":"search"/],
  ["DELETE", "/executions/by-ids", json("[]"), /"count":0/],
  ["POST", "/executions/labels/by-ids", json("{}"), /labels must be a list/],
  ["GET", "/logs/search", {}, /"results":/],
  ["GET", "/triggers/search", {}, /"results":/],
  ["GET", "/namespaces/search", {}, /"results":/],
  ["POST", "/namespaces/autocomplete", json("{}"), /^\["/],
  ["GET", "/api/v1/plugins/icons", {}, /^\{"/],
  ["GET", "/api/v1/plugins/inputs", {}, /^\[\{"type":/],
  ["GET", "/api/v1/plugins/schemas/FLOW", {}, /"\$schema":/],
];

for (const [method, path, init, expected] of LITERALS) {
  Deno.test(`${method} ${path} is the literal route, though a parameter fits`, async () => {
    await using server = await Harness.start();
    // Flows whose names are those of the literal segments.
    await server.save(source("search", "search"));
    await server.save(source("by-ids", "labels"));
    const text = await (await server.request(method, path, init)).text();
    assert(expected.test(text), text.slice(0, 300));
  });
}

const ACTION_NAMES = ["restart", "pause", "kill", "resume", "labels", "state", "validate", "latest", "bulk"];

for (const name of ACTION_NAMES) {
  Deno.test(`POST /executions/demo/${name} starts the flow of that name`, async () => {
    await using server = await Harness.start();
    await server.save(source(name));
    assertEquals((await server.start(name)).flowId, name);
  });
}

Deno.test("GET /executions/:id, lists and logs show a start at once", async () => {
  await using server = await Harness.start();
  await server.save(source("f"));
  const { id } = await server.start("f");
  const total = async (path: string) => (await server.json("GET", path) as Record<string, unknown>).total;
  assertEquals((await server.execution(id)).id, String(id));
  assertEquals(await total("/executions/search"), 1);
  assertEquals(await total("/executions?namespace=demo&flowId=f"), 1);
  assertEquals(await total("/executions/search?filters[flowId][EQUALS]=f"), 1);
  assertEquals((await server.request("GET", `/logs/${id}`)).status, 200);
});

Deno.test("GET shows each change of flows, triggers, KV pairs and files at once", async () => {
  await using server = await Harness.start();
  const list = async (path: string) => JSON.stringify(await server.json("GET", path));
  await server.save(source("f", "demo", SCHEDULE));
  assert((await list("/flows/search")).includes('"id":"f"'));
  assert((await list("/triggers/demo/f")).includes('"triggerId":"t"'));
  assert((await list("/namespaces/search")).includes('"id":"demo"'));
  await server.json("PUT", "/namespaces/demo/kv/k", json('"v"'));
  assert((await list("/namespaces/demo/kv/k")).includes('"value":"v"'));
  const form = new FormData();
  form.append("fileContent", new Blob(["x"]), "a.txt");
  await server.json("POST", "/namespaces/demo/files?path=/a.txt", { body: form });
  assert((await list("/namespaces/demo/files/directory?path=/")).includes('"fileName":"a.txt"'));
  await server.json("DELETE", "/flows/demo/f");
  assertEquals(await list("/triggers/demo/f"), '{"results":[],"total":0}');
});

/** Requests without a payload, as clients send them: with a content type all the same. */
const BARE: readonly (readonly [method: string, path: string, status: number])[] = [
  ["POST", "/executions/demo/f", 200],
  ["POST", "/executions/demo/f/validate", 200],
  ["POST", "/executions/trigger/demo/f", 200],
  ["POST", "/executions/webhook/demo/hook/k1", 200],
  ["PUT", "/executions/webhook/demo/hook/k1", 200],
  ["POST", "/executions/{ended}/actions/replay", 200],
  ["POST", "/executions/{ended}/replay", 200],
  ["POST", "/executions/{ended}/actions/restart", 422],
  ["POST", "/executions/{ended}/actions/change-status?status=FAILED", 200],
  ["POST", "/executions/{paused}/actions/resume", 200],
  ["POST", "/executions/{paused}/actions/resume/validate", 200],
  ["POST", "/executions/{paused}/resume", 200],
  ["DELETE", "/executions/{paused}/actions/kill", 200],
  ["POST", "/executions/{paused}/actions/pause", 422],
  ["POST", "/executions/{paused}/actions/force-run", 200],
  ["POST", "/executions/restart/by-query?state=QUEUED", 200],
  ["POST", "/executions/force-run/by-query?state=QUEUED", 200],
  ["POST", "/flows/enable/by-query", 200],
  ["POST", "/triggers/demo/schedule/t/restart", 200],
  ["POST", "/triggers/demo/schedule/t/unlock", 409],
  ["POST", "/namespaces/demo/files/directory?path=/a", 200],
  ["PUT", "/namespaces/demo/files?from=/b&to=/c", 404],
  ["PUT", "/concurrency-limit/demo/f", 404],
  ["POST", "/namespaces/autocomplete", 200],
];

for (const [method, path, status] of BARE) {
  for (const body of [undefined, ""]) {
    Deno.test(`${method} ${path} returns ${status} with a content type and ${body === "" ? "an empty" : "no"} body`, async () => {
      await using server = await Harness.start();
      await server.save(source("hook", "demo", HOOK));
      await server.save(source("schedule", "demo", SCHEDULE));
      const { id: ended } = await server.run(source("f"));
      const { id: paused } = await server.run(PAUSE);
      const target = path.replace("{ended}", ended).replace("{paused}", paused);
      const response = await server.request(method, target, json(body));
      assertEquals(response.status, status, await response.text());
    });
  }
}

for (const accept of ACCEPTS) {
  Deno.test(`POST and GET return JSON for Accept: ${accept}`, async () => {
    await using server = await Harness.start();
    const headers = { accept };
    await server.json("POST", "/flows", { body: source("f"), headers: { ...YAML, accept } });
    for (
      const [method, path] of [["POST", "/executions/demo/f"], ["GET", "/flows/demo/f"], [
        "GET",
        "/executions/X",
      ]]
    ) {
      const response = await server.request(method ?? "", path ?? "", { headers });
      const type = response.headers.get("content-type") ?? "";
      assert(type.startsWith("application/json") || type.startsWith("application/problem+json"), type);
      await response.body?.cancel();
    }
  });
}

/** Lists that newer specifications want filters for. */
const WITHOUT_FILTERS = [
  "/executions/search",
  "/flows/search",
  "/logs/search",
  "/triggers/search",
  "/kv",
  "/secrets",
  "/namespaces/search",
  "/flows/export/by-query",
  "/flows/export/by-query/csv",
  "/executions/export/by-query/csv",
  "/triggers/export/by-query/csv",
  "/executions/distinct-field-values?field=state",
];

for (const path of WITHOUT_FILTERS) {
  Deno.test(`GET ${path} needs no filters`, async () => {
    await using server = await Harness.start();
    const response = await server.request("GET", path);
    assertEquals(response.status, 200);
    await response.body?.cancel();
  });
}

const LISTS: readonly (readonly [query: string, flows: readonly string[]])[] = [
  ["state=SUCCESS&state=FAILED", ["f", "g"]],
  ["filters[flowId][IN]=f,g", ["f", "g"]],
  ["filters[flowId][IN]=f", ["f"]],
  ["labels=a:1&labels=b:2", ["g"]],
];

for (const [query, flows] of LISTS) {
  Deno.test(`GET /executions/search?${query} takes repeated and comma-joined values`, async () => {
    await using server = await Harness.start();
    await server.save(source("f"));
    await server.save(source("g"));
    await server.start("f", {}, "?labels=a:1");
    await server.start("g", {}, "?labels=a:1&labels=b:2");
    await settle();
    const { results } = await server.page(`/executions/search?${query}`);
    assertEquals(results.map(({ flowId }) => flowId).sort(), [...flows]);
  });
}

Deno.test("POST /executions/:namespace/:flowId passes over stray parts that hold JSON", async () => {
  await using server = await Harness.start();
  await server.save(source("f", "demo", "inputs:\n  - id: name\n    type: STRING\n    defaults: d\n"));
  const form = new FormData();
  form.append("0", '{"name":"x"}');
  form.append("1", '{"a":1}');
  const { inputs } = await server.json("POST", "/executions/demo/f", { body: form }) as Record<
    string,
    unknown
  >;
  assertEquals(inputs, { name: "d" });
});

Deno.test("GET /api/v1/:path without tenant is the same as with the main one", async () => {
  await using server = await Harness.start();
  await server.save(source("f"));
  const { id } = await server.json("POST", "/api/v1/executions/demo/f") as Record<string, unknown>;
  await settle();
  const [short, long] = [`/api/v1/executions/${id}`, `/api/v1/main/executions/${id}`];
  assertEquals(await server.json("GET", short), await server.json("GET", long));
  assertNotEquals((await server.request("GET", "/api/v1/other/executions/search")).status, 200);
});
