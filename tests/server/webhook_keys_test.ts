/** Who may not start executions reads no key of a webhook, whatever route is called. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { unzipSync } from "fflate";
import { declaredRight, declaredRoutes } from "../../src/http/pipeline/route_rights.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { Harness } from "../support/harness.ts";

const ADMIN = { user: "root", password: "correct:horse" };
const PASSWORD = "battery:staple";
const CORE = "io.svc.plugin.core.";
const KEY = "0123456789abcdef";
const OLD_KEY = "fedcba9876543210";
const SECRET = "of-all-signatures";
const KEYS = [KEY, OLD_KEY, SECRET];
const sourceWith = (key: string) =>
  `id: hello
namespace: demo
description: Called at /api/v1/main/executions/webhook/demo/hello/${key}
tasks:
  - {id: say, type: ${CORE}debug.Return, format: "{{ trigger.body }}"}
  - id: all
    type: ${CORE}flow.Sequential
    tasks: [{id: copy, type: ${CORE}debug.Return, description: "Called with ${key}"}]
triggers:
  - {id: call, type: ${CORE}trigger.Webhook, key: ${key}}
  - id: signed
    type: ${CORE}trigger.Webhook
    key: "{{ secret('KEY') }}"
    signature: {secret: ${SECRET}}`;
const CALLER = `id: caller
namespace: demo
tasks:
  - {id: call, type: ${CORE}http.Request, uri: "http://localhost/api/v1/main/executions/webhook/demo/hello/${KEY}"}`;
const EXPORTED = json([{ namespace: "demo", id: "hello" }]);

function basic(user: string, password = PASSWORD): Record<string, string> {
  return { authorization: `Basic ${btoa(`${user}:${password}`)}` };
}

/** A server with a flow of two revisions whose webhook was called, and one that calls it; the id of the execution. */
async function fill(app: Harness): Promise<string> {
  const admin = basic(ADMIN.user, ADMIN.password);
  const send = async (method: string, path: string, { headers, body }: ReturnType<typeof json>) => {
    const response = await app.request(method, path, { body, headers: { ...headers, ...admin } });
    assertEquals(response.ok, true, await response.text());
  };
  for (const role of ["viewer", "editor"]) {
    await send("POST", "/api/v1/users", json({ username: role, password: PASSWORD, role }));
  }
  await send("POST", "/flows", yaml(sourceWith(OLD_KEY)));
  await send("PUT", "/flows/demo/hello", yaml(sourceWith(KEY)));
  await send("POST", "/flows", yaml(CALLER));
  const called = await app.request("POST", `/executions/webhook/demo/hello/${KEY}`, { body: "now" });
  const { id } = await called.json();
  await settle();
  return id;
}

/** The text of a response; of a zip the texts of its files. */
async function textOf(response: Response): Promise<string> {
  const bytes = await response.bytes();
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const parts = isZip ? Object.values(unzipSync(bytes)) : [bytes];
  return parts.map((part) => new TextDecoder().decode(part)).join("\n");
}

/** Routes that a viewer may read, with the ids of a flow and the execution. */
function readRequests(executionId: string, flowId: string): string[] {
  const ids: Readonly<Record<string, string>> = {
    namespace: "demo",
    flowId,
    taskId: flowId === "hello" ? "say" : "call",
    id: executionId,
    executionId,
  };
  return declaredRoutes()
    .filter((route) => route.startsWith("GET ") && declaredRight("GET", route.slice(4)) === "read")
    .map((route) => route.slice(4).replaceAll(/:(\w+)/g, (_, name) => ids[name] ?? "none"));
}

Deno.test("a viewer reads no key of a webhook at any route, an editor does", async () => {
  await using app = await Harness.start({ credentials: ADMIN, noAuthExplicit: false });
  const id = await fill(app);
  const read = async (path: string, init: RequestInit = {}) => {
    const headers = { ...init.headers as Record<string, string>, ...basic("viewer") };
    const response = await app.request(init.method ?? "GET", path, { ...init, headers });
    const text = await textOf(response);
    assertEquals(KEYS.filter((key) => text.includes(key)), [], path);
    return text;
  };
  for (const path of [...readRequests(id, "hello"), ...readRequests(id, "caller")]) {
    await read(path);
    await read(`${path}?source=true&revision=1&q=${KEY}`);
  }
  for (const query of ["?source=true", "?revision=1&source=true"]) {
    assertStringIncludes(await read(`/flows/demo/hello${query}`), "••••");
  }
  assertStringIncludes(await read("/flows/demo/caller?source=true"), "/webhook/demo/hello/••••");
  assertStringIncludes(await read("/triggers/search"), '"key":"••••"');
  assertStringIncludes(await read("/flows/export/by-query"), 'key: "••••"');
  assertStringIncludes(await read("/flows/export/by-ids", { ...EXPORTED, method: "POST" }), 'key: "••••"');
  assertStringIncludes(await read("/flows/source?q=key"), "••••");
  assertEquals(JSON.parse(await read(`/flows/source?q=${KEY.slice(0, 4)}`)).total, 0, "a search finds none");
  const shown = await app.request("GET", "/flows/demo/hello?source=true", { headers: basic("editor") });
  assertStringIncludes(await shown.text(), KEY);
});
