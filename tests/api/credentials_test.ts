/** Access: wrong credentials of every kind, tokens and tenants on every route, path suffixes. */
import { assert, assertEquals } from "@std/assert";
import { type JsonObject, ownProperty } from "../../src/base/json.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { Harness } from "../support/harness.ts";
import { flowSource, readRefusal } from "./refusals.ts";
import { fillPath, PROTECTED_ROUTES, rawRequest } from "./route_list.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";

const CREDENTIALS = { user: "anna@example.org", password: "correct:horse" };
const GOOD = basic(CREDENTIALS.user, CREDENTIALS.password);
const TOKENS = "/api/v1/me/api-tokens";

function basic(user: string, password: string): string {
  return `Basic ${btoa(`${user}:${password}`)}`;
}

/** A server with a login that has been used once, so that its password is hashed. */
async function startProtected(): Promise<Harness> {
  const server = await Harness.start({ credentials: CREDENTIALS, noAuthExplicit: false });
  assertEquals((await send(server, "GET /flows/search", GOOD)).status, 200);
  return server;
}

/** A request of a caller; `undefined` sends no credentials. */
async function send(server: Harness, request: string, authorization?: string, init: RequestInit = {}) {
  const [method = "", path = ""] = request.split(" ");
  const headers = { ...init.headers as Record<string, string>, ...(authorization && { authorization }) };
  const response = await server.request(method, path, { ...init, headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function createToken(server: Harness, body: object): Promise<{ id: string; header: string }> {
  const { status, text } = await send(server, `POST ${TOKENS}`, GOOD, json(body));
  assertEquals(status, 200, text);
  const token: JsonObject = JSON.parse(text);
  return {
    id: String(ownProperty(token, "id")),
    header: `Bearer ${String(ownProperty(token, "fullToken"))}`,
  };
}

Deno.test("every kind of bad credentials gets one and the same 401", async () => {
  await using server = await startProtected();
  const revoked = await createToken(server, { name: "revoked" });
  const expired = await createToken(server, { name: "expired", maxAge: "PT1M" });
  assertEquals((await send(server, `DELETE ${TOKENS}/${revoked.id}`, GOOD)).status, 204);
  await server.advance(61_000);
  const kinds: Readonly<Record<string, string | undefined>> = {
    missing: undefined,
    "a wrong password": basic(CREDENTIALS.user, "wrong"),
    "a wrong user": basic("eve", CREDENTIALS.password),
    "no password": basic(CREDENTIALS.user, ""),
    "text that is not base64": "Basic ***",
    "an empty scheme": "Basic",
    "another scheme": "Digest abc",
    "an unknown token": "Bearer slc_unknown",
    "an expired token": expired.header,
    "a revoked token": revoked.header,
    "a token as password": basic(CREDENTIALS.user, expired.header),
  };
  const bodies = new Set<string>();
  await settle();
  const before = server.store.count();
  const recorded = server.store.count(["audit"]);
  for (const [what, header] of Object.entries(kinds)) {
    const { status, text, headers } = await send(server, "POST /flows", header, yaml(flowSource()));
    assertEquals([status, headers.get("www-authenticate")], [401, 'Basic realm="Sluice"'], what);
    bodies.add(JSON.stringify({ ...readRefusal(text, 401), traceId: "" }));
  }
  assertEquals(bodies.size, 1, [...bodies].join("\n"));
  // The audit log has the four that name a user, and nothing else was stored.
  assertEquals(server.store.count(["audit"]), recorded + 4);
  assertEquals(server.store.count(), before + 4);
});

Deno.test("good credentials open every route, and the bad ones before do not matter", async () => {
  await using server = await startProtected();
  const token = await createToken(server, { name: "all" });
  for (const header of [GOOD, token.header, GOOD.replace("Basic", "bAsIc")]) {
    assertEquals((await send(server, "GET /flows/search", header)).status, 200);
  }
  for (const open of ["GET /ping", "GET /health", "GET /api/v1/configs", "GET /api/v1/main/configs"]) {
    assertEquals((await send(server, open)).status, 200, open);
  }
});

/** The access decision that the status of a response shows. */
function verdict(status: number): string {
  if (status === 401) return "unknown caller";
  if (status === 403) return "forbidden";
  return "let in";
}

Deno.test("token × tenant × route: a token enters its tenants alone, and manages nothing when it is limited", async () => {
  await using server = await startProtected();
  for (const id of ["acme", "other"]) {
    assertEquals((await send(server, "POST /api/v1/tenants", GOOD, json({ id }))).status, 200);
  }
  const callers = {
    user: GOOD,
    all: (await createToken(server, { name: "all" })).header,
    acme: (await createToken(server, { name: "acme", tenants: ["acme"] })).header,
    none: (await createToken(server, { name: "none", tenants: [] })).header,
  };
  const before = await send(server, `GET ${TOKENS}`, GOOD);
  const ofTenants = PROTECTED_ROUTES.filter(({ path }) =>
    path.includes(":tenant") && path.startsWith("/api")
  );
  const unlimited = PROTECTED_ROUTES.filter(({ path }) =>
    /^\/api\/v1\/(tenants|users|me\/api-tokens|backups|main\/auditlogs)/.test(path)
  );
  assert(ofTenants.length > 30 && unlimited.length >= 19, "routes are missing");
  for (const { method, path } of ofTenants.filter(({ path }) => !/\/follow(-dependencies)?$/.test(path))) {
    for (const tenant of ["main", "acme", "other"]) {
      for (const [caller, header] of Object.entries(callers)) {
        const request = `${method} ${fillPath(path, tenant)}`;
        const isAllowed = caller === "user" || caller === "all" || caller === tenant;
        const { status, text } = await send(server, request, header);
        const isStranger = status === 404 && text.includes("there is no tenant ");
        assertEquals(
          [verdict(status), isStranger],
          ["let in", !isAllowed],
          `${request} as ${caller}: ${text}`,
        );
      }
    }
  }
  for (const { method, path } of unlimited) {
    for (const caller of ["acme", "none"] as const) {
      const request = `${method} ${fillPath(path)}`;
      assertEquals((await send(server, request, callers[caller])).status, 403, `${request} as ${caller}`);
    }
  }
  const listOf = (text: string) => JSON.parse(text).results.map(({ id }: { id: string }) => id);
  const after = await send(server, `GET ${TOKENS}`, GOOD);
  assertEquals(listOf(after.text), listOf(before.text));
});

/** What opened other servers of this kind when it was appended to a path. */
const SUFFIXES = [
  ...[
    "",
    "/configs",
    "/health",
    "/ready",
    "/login",
    "/ping",
    "/webhook",
    ";x",
    ";/configs",
    "%2f",
    "%2Fconfigs",
  ],
  ...["//", "//ping", "/.", "/./configs", "/../configs", "/..;/ping", "%00/ping", "%3f/ping", "?/configs"],
  ...["#/configs", "\\configs", "/CONFIGS", ".json", "/executions/webhook"],
];

Deno.test("every route × every suffix asks for credentials", async () => {
  await using server = await startProtected();
  let count = 0;
  for (const { method, path } of PROTECTED_ROUTES) {
    const base = fillPath(path);
    for (
      const target of SUFFIXES.flatMap((suffix) => [base + suffix, (base + suffix).replace("/main", "")])
    ) {
      for (const spelling of [target, target.replace("/api/", "/API/"), `/${target}`]) {
        // With "/login" appended, "/ui" is the path of the log-in page, which is open.
        if (`${method} ${spelling}` === "GET /ui/login") continue;
        const response = await server.assembly.fetch(rawRequest(method, spelling));
        await response.body?.cancel();
        assertEquals(response.status, 401, `${method} ${spelling}`);
        count++;
      }
    }
  }
  assert(count > 5_000, `only ${count} requests were tried`);
});

Deno.test("a webhook is open to all and its key is compared, on a protected server too", async () => {
  await using server = await startProtected();
  const trigger = "triggers:\n  - id: hook\n    type: io.svc.plugin.core.trigger.Webhook\n    key: k-1\n";
  assertEquals((await send(server, "POST /flows", GOOD, yaml(flowSource("hello", trigger)))).status, 200);
  const answers = new Set<string>();
  for (const path of ["demo/hello/k-2", "demo/none/k-1", "none/hello/k-1", "demo/hello/K-1"]) {
    const { status, text } = await send(server, `GET /executions/webhook/${path}`);
    answers.add(`${status} ${readRefusal(text, 404).message}`);
  }
  assertEquals([...answers], [
    "404 Not Found: Webhook not found: Flow not found, or it has no webhook with this key",
  ]);
  for (const header of [undefined, "Basic wrong", GOOD]) {
    assertEquals((await send(server, "GET /executions/webhook/demo/hello/k-1", header)).status, 200);
  }
  assertEquals((await send(server, "GET /executions/webhook/demo/hello/k-1/configs")).status, 404);
});
