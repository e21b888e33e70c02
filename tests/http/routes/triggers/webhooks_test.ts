import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import { MAX_WEBHOOK_BODY_BYTES } from "../../../../src/model/limits.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { Harness } from "../../../support/harness.ts";

const FLOW = `id: hook
namespace: demo
tasks:
  - id: a
    type: io.svc.plugin.core.debug.Return
    format: "{{ trigger | json }}"
triggers:
  - id: call
    type: io.svc.plugin.core.trigger.Webhook
    key: a b/secret
`;
const PATH = "/executions/webhook/demo/hook/a%20b%2Fsecret";
const NOT_FOUND = "Not Found: Webhook not found: Flow not found, or it has no webhook with this key";

type Call = { trigger: { variables: Record<string, unknown> } };

async function call(server: Harness, method: string, path: string, init: RequestInit = {}): Promise<Call> {
  return await server.json(method, path, init) as unknown as Call;
}

for (const method of ["GET", "POST", "PUT"]) {
  Deno.test(`${method} /executions/webhook/… starts an execution and returns it`, async () => {
    await using server = await Harness.start();
    await server.save(FLOW);
    const response = await server.request(method, PATH);
    assertEquals([response.status, response.headers.get("cache-control")], [200, "no-store"]);
    const answer = await response.json();
    assertObjectMatch(answer, {
      namespace: "demo",
      flowId: "hook",
      flowRevision: 1,
      url: `http://127.0.0.1:8080/ui/executions/demo/hook/${answer.id}`,
    });
    assertEquals(answer.state.current, "CREATED");
    assertObjectMatch(answer.trigger, { id: "call", type: "io.svc.plugin.core.trigger.Webhook" });
    await settle();
    const execution = await server.execution(answer.id);
    const printed = JSON.parse(String(execution.taskRunList[0]?.outputs.value));
    assertEquals(printed, answer.trigger.variables);
  });
}

Deno.test("HEAD /executions/webhook/… starts nothing", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  const response = await server.request("HEAD", PATH);
  assertEquals(response.status, 405);
  assertObjectMatch(await server.json("GET", "/executions/search") as object, { total: 0 });
});

const DEEP = "[".repeat(600) + "]".repeat(600);
const BODIES: readonly (readonly [string, string, string | undefined, unknown])[] = [
  ["an object", '{"a":1}', "application/json", { a: 1 }],
  ["an object that is called text", ' {"a":[1,2]}\n', "text/plain", { a: [1, 2] }],
  ["a list", "[1,2]", "application/json", [1, 2]],
  ["a JSON text", '"x"', "application/json", '"x"'],
  ["a JSON number", "12", "application/json", "12"],
  ["text", "bla", "application/json", "bla"],
  ["what only looks like JSON", "{a:1}", "application/json", "{a:1}"],
  ["a form", "a=1&b=2", "application/x-www-form-urlencoded", "a=1&b=2"],
  ["JSON that is nested too deep", DEEP, "application/json", DEEP],
  ["brackets within texts", `{"a":"${"[".repeat(600)}\\"["}`, undefined, { a: `${"[".repeat(600)}"[` }],
  ["names of prototypes", '{"__proto__":{"x":1}}', undefined, JSON.parse('{"__proto__":{"x":1}}')],
];
for (const [what, body, type, expected] of BODIES) {
  Deno.test(`POST /executions/webhook/… takes ${what} as body`, async () => {
    await using server = await Harness.start();
    await server.save(FLOW);
    const headers: HeadersInit = type === undefined ? {} : { "content-type": type };
    const { trigger } = await call(server, "POST", PATH, { headers, body });
    assertEquals(trigger.variables.body, expected);
  });
}

Deno.test("POST /executions/webhook/… without body has none", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  const { trigger } = await call(server, "POST", PATH);
  assertEquals("body" in trigger.variables, false);
});

Deno.test("POST /executions/webhook/… keeps the kind of numbers", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  const response = await server.request("POST", PATH, { body: '{"a":2.0,"b":12345678901234567890}' });
  assertStringIncludes(await response.text(), '"body":{"a":2.0,"b":12345678901234567890}');
});

Deno.test("POST /executions/webhook/… refuses a body that is too large", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  const response = await server.request("POST", PATH, { body: "x".repeat(MAX_WEBHOOK_BODY_BYTES + 1) });
  await response.body?.cancel();
  assertEquals(response.status, 413);
});

Deno.test("GET /executions/webhook/… returns headers and parameters as lists", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  const headers = { "x-event": "push", authorization: "Basic eA==", cookie: "a=b" };
  const { trigger } = await call(server, "GET", `${PATH}?a=1&a=2&b=&__proto__=x&key=v%20w`, { headers });
  assertEquals(trigger.variables.headers, { "x-event": ["push"] });
  const expected = JSON.parse('{"a":["1","2"],"b":[""],"__proto__":["x"],"key":["v w"]}');
  assertEquals(trigger.variables.parameters, expected);
});

const UNKNOWN: readonly (readonly [string, string])[] = [
  ["namespace", "/executions/webhook/nowhere/hook/a%20b%2Fsecret"],
  ["flow", "/executions/webhook/demo/none/a%20b%2Fsecret"],
  ["key", "/executions/webhook/demo/hook/wrong"],
  ["path behind the key", `${PATH}/more`],
  ["path far behind the key", `${PATH}/more/and/more`],
  ["path that begins like the route", `${PATH}/webhook/more`],
  ["path that contains the route", `${PATH}/executions/webhook/demo/hook/key`],
  ["tenant", "/api/v1/nowhere/executions/webhook/demo/hook/a%20b%2Fsecret"],
];
for (const [what, path] of UNKNOWN) {
  Deno.test(`POST /executions/webhook/… with an unknown ${what} returns the same 404`, async () => {
    await using server = await Harness.start();
    await server.save(FLOW);
    const response = await server.request("POST", path, { body: "x" });
    assertEquals([response.status, (await response.json()).message], [404, NOT_FOUND]);
    assertEquals(response.headers.get("cache-control"), "no-store");
  });
}

const CALLED_WEBHOOK: readonly (readonly [string, string, Record<string, string>])[] = [
  ["namespace", "/api/v1/main/executions/webhook/webhook/hook/secret-key/a/b", { namespace: "webhook" }],
  ["flow", "/executions/webhook/demo/webhook/secret-key/a/b", { id: "webhook" }],
  ["key", "/executions/webhook/demo/hook/webhook/a/b", { key: "webhook" }],
  ["path", "/executions/webhook/demo/hook/secret-key/webhook/b", { path: "webhook/b" }],
];
for (const [what, path, names] of CALLED_WEBHOOK) {
  Deno.test(`POST /executions/webhook/… calls a trigger with a path whose ${what} is named webhook`, async () => {
    await using server = await Harness.start();
    const members = { namespace: "demo", id: "hook", key: "secret-key", path: "a/b", ...names };
    const flow = `id: ${members.id}
namespace: ${members.namespace}
tasks: [{id: a, type: io.svc.plugin.core.debug.Return, format: x}]
triggers: [{id: w, type: io.svc.plugin.core.trigger.Webhook, key: ${members.key}, path: ${members.path}}]
`;
    await server.save(flow);
    assertObjectMatch(await server.json("POST", path) as object, {
      namespace: members.namespace,
      flowId: members.id,
    });
  });
}

Deno.test("POST /executions/webhook/… of a disabled flow returns 409 to the right key alone", async () => {
  await using server = await Harness.start();
  await server.save(FLOW.replace("tasks:", "disabled: true\ntasks:"));
  const right = await server.request("POST", PATH);
  const wrong = await server.request("POST", "/executions/webhook/demo/hook/wrong");
  await right.body?.cancel();
  await wrong.body?.cancel();
  assertEquals([right.status, wrong.status], [409, 404]);
});

Deno.test("POST /executions/webhook/… asks for no credentials", async () => {
  await using server = await Harness.start({ credentials: { user: "admin", password: "secret-1A" } });
  const authorization = `Basic ${btoa("admin:secret-1A")}`;
  const headers = { "content-type": "text/yaml", authorization };
  await server.json("POST", "/flows", { headers, body: FLOW });
  const response = await server.request("POST", PATH);
  await response.body?.cancel();
  assertEquals(response.status, 200);
});
