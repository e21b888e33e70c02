/** Users with roles on a whole server: what each may do with real flows, over a restart, in the check of the data. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { checkStore } from "../../src/store/check/check.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";
import { Harness } from "../support/harness.ts";

const ADMIN = { user: "root", password: "correct:horse" };
const PASSWORD = "battery:staple";
const FLOW = `id: hello
namespace: demo
tasks: [{id: say, type: io.svc.plugin.core.debug.Return, format: "{{ secret('KEY') }}"}]
triggers: [{id: call, type: io.svc.plugin.core.trigger.Webhook, key: "0123456789abcdef"}]`;
const ROLES = ["viewer", "editor", "admin"] as const;

function basic(user: string, password = PASSWORD): Record<string, string> {
  return { authorization: `Basic ${btoa(`${user}:${password}`)}` };
}

async function startProtected(): Promise<Harness> {
  const app = await Harness.start({ credentials: ADMIN, noAuthExplicit: false });
  for (const role of ROLES) {
    const { headers, body } = json({ username: role, password: PASSWORD, role });
    const init = { body, headers: { ...headers, ...basic(ADMIN.user, ADMIN.password) } };
    const response = await app.request("POST", "/api/v1/users", init);
    assertEquals(response.status, 201, await response.text());
  }
  return app;
}

/** Status of a request of each role. */
async function statuses(app: Harness, request: string, init: RequestInit = {}): Promise<number[]> {
  const [method = "", path = ""] = request.split(" ");
  const found: number[] = [];
  for (const role of ROLES) {
    const headers = { ...init.headers as Record<string, string>, ...basic(role) };
    const response = await app.request(method, path, { ...init, headers });
    await response.body?.cancel();
    found.push(response.status);
  }
  return found;
}

/** Requests with the status for a viewer, an editor and an admin. */
const CASES: readonly (readonly [request: string, init: RequestInit | undefined, statuses: number[]])[] = [
  ["POST /flows/validate", yaml(FLOW), [200, 200, 200]],
  ["PUT /flows/demo/hello", yaml(FLOW), [403, 200, 200]],
  ["GET /flows/demo/hello?source=true", undefined, [200, 200, 200]],
  ["POST /executions/demo/hello", undefined, [403, 200, 200]],
  ["POST /expressions/render", json({ expressions: ["{{ secret('KEY') }}"], namespace: "demo" }), [
    403,
    200,
    200,
  ]],
  ["PUT /namespaces/demo/kv/a", { body: "1" }, [403, 200, 200]],
  ["GET /namespaces/demo/kv/a", undefined, [200, 200, 200]],
  ["PUT /namespaces/demo/secrets", json({ key: "B", value: "b" }), [403, 200, 200]],
  ["GET /namespaces/demo/secrets", undefined, [200, 200, 200]],
  ["GET /api/v1/users", undefined, [403, 403, 200]],
  ["POST /api/v1/tenants", json({ id: "acme" }), [403, 403, 200]],
  ["GET /api/v1/tenants/search", undefined, [200, 200, 200]],
  ["GET /api/v1/settings", undefined, [200, 200, 200]],
  ["GET /ui/flows", undefined, [200, 200, 200]],
  ["GET /api/v1/nothing", undefined, [404, 404, 404]],
];

Deno.test("a viewer reads, an editor changes what belongs to a tenant, an admin does everything", async () => {
  await using app = await startProtected();
  const admin = basic(ADMIN.user, ADMIN.password);
  const { headers, body } = yaml(FLOW);
  await app.json("POST", "/flows", { body, headers: { ...headers, ...admin } });
  const secret = json({ key: "KEY", value: "hidden" });
  await app.json("PUT", "/namespaces/demo/secrets", { ...secret, headers: { ...secret.headers, ...admin } });
  for (const [request, init, expected] of CASES) {
    assertEquals([request, ...await statuses(app, request, init)], [request, ...expected]);
  }
  const started = await app.request("POST", "/executions/webhook/demo/hello/0123456789abcdef");
  await started.body?.cancel();
  assertEquals(started.status, 200, "the key of a webhook needs no user");
});

Deno.test("users and their tokens are there after a restart, and the check of the data reads them", async () => {
  let app = await startProtected();
  const admin = basic(ADMIN.user, ADMIN.password);
  const request = json({ name: "ci", role: "viewer" });
  const init = { ...request, headers: { ...request.headers, ...admin } };
  const token = await app.json("POST", "/api/v1/users/editor/api-tokens", init) as { fullToken: string };
  const bearer = { authorization: `Bearer ${token.fullToken}` };
  await app.request("DELETE", "/api/v1/users/viewer", { headers: admin });
  app = await app.restart();
  assertEquals(await statuses(app, "GET /flows/search"), [401, 200, 200]);
  const me = await app.json("GET", "/api/v1/me", { headers: bearer }) as { username: string; role: string };
  assertEquals([me.username, me.role], ["editor", "viewer"]);
  const refused = await app.request("POST", "/flows", {
    ...yaml(FLOW),
    headers: { ...yaml(FLOW).headers, ...bearer },
  });
  assertEquals(refused.status, 403);
  assertStringIncludes(await refused.text(), 'this needs the role \\"editor\\"; the caller has \\"viewer\\"');
  assertEquals((await checkStore(app.store)).findings.list(), []);
  await app[Symbol.asyncDispose]();
});

Deno.test("the check of the data finds a user with an unknown role", async () => {
  await using app = await startProtected();
  const entry = await app.store.get(["user", "editor"]);
  const text = new TextDecoder().decode(entry?.value);
  const value = new TextEncoder().encode(text.replace('"editor"', '"owner"'));
  await app.store.commit({
    checks: [],
    messages: [],
    mutations: [{ type: "set", key: ["user", "editor"], value }],
  });
  const findings = (await checkStore(app.store)).findings.list();
  assertEquals(findings.length, 1);
  assertStringIncludes(JSON.stringify(findings), "owner");
});
