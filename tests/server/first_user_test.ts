/** A protected server without a configured user, from its first start on. */
import { assert, assertEquals } from "@std/assert";
import { checkStore } from "../../src/store/check/check.ts";
import { type ExecutionResponse, Harness } from "../support/harness.ts";
import { answer, MisbehavingServer } from "../support/servers/misbehaving_server.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";

const FLOW =
  "id: a\nnamespace: demo\ntasks:\n  - id: r\n    type: io.svc.plugin.core.debug.Return\n    format: x\n";
const USER = { username: "anna@example.org", password: "correct:horse" };
const YAML = { "content-type": "application/x-yaml" };
const SAME_SITE = { "sec-fetch-site": "same-origin" };

Deno.test("the first user is set with the printed token, logs in by cookie, and is there after a restart", async () => {
  let app = await Harness.start({ isUserStored: true, noAuthExplicit: false });
  const token = app.assembly.login.setupToken;
  assert(token !== undefined);
  assertEquals((await app.request("GET", "/flows/search")).status, 401);
  await app.json("POST", "/basicAuth", json({ ...USER, token }));
  assertEquals(app.assembly.login, { user: USER.username, setupToken: undefined });
  const cookie = await logIn(app);
  const change = { ...yaml(FLOW), headers: { ...YAML, ...SAME_SITE, cookie } };
  await app.json("POST", "/flows", change);
  const { id } = await app.json("POST", "/executions/demo/a", { headers: { ...SAME_SITE, cookie } }) as {
    id: string;
  };
  const followed = await app.request("GET", `/executions/${id}/follow`, { headers: { cookie } });
  assertEquals([followed.status, followed.headers.get("content-type")], [200, "text/event-stream"]);
  await followed.body?.cancel();
  app = await app.restart();
  assertEquals(app.assembly.login, { user: USER.username, setupToken: undefined });
  assertEquals((await app.request("GET", "/flows/search", { headers: { cookie } })).status, 401);
  const again = await logIn(app);
  assertEquals((await app.request("GET", "/flows/search", { headers: { cookie: again } })).status, 200);
  const { findings } = await checkStore(app.store);
  assertEquals(findings.list(), []);
  await app[Symbol.asyncDispose]();
});

/** The cookie of a new session. */
async function logIn(app: Harness): Promise<string> {
  const response = await app.request("POST", "/api/v1/login", {
    ...json(USER),
    headers: { "content-type": "application/json", ...SAME_SITE },
  });
  await response.body?.cancel();
  return response.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
}

Deno.test("flows of a server whose first user was set do not reach the machine", async () => {
  await using outside = new MisbehavingServer(() => answer(200, "here"));
  await using app = await Harness.start({ isUserStored: true, noAuthExplicit: false });
  await app.json("POST", "/basicAuth", json({ ...USER, token: app.assembly.login.setupToken }));
  const headers = { ...SAME_SITE, cookie: await logIn(app) };
  const source = `id: a\nnamespace: demo\ntasks:\n  - id: r\n    type: io.svc.plugin.core.http.Request\n` +
    `    uri: ${outside.url}\n`;
  await app.json("POST", "/flows", { ...yaml(source), headers: { ...YAML, ...headers } });
  const { state } = await app.json("POST", "/executions/demo/a?wait=true", {
    headers,
  }) as unknown as ExecutionResponse;
  assertEquals([state.current, outside.requests.length], ["FAILED", 0]);
});
