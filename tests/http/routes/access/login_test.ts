/** Log-in by cookie: sessions, cookies that front ends write, and requests of other sites. */
import { assert, assertEquals } from "@std/assert";
import { SESSION_IDLE_MS } from "../../../../src/model/limits.ts";
import { ADMIN, type AppUnderTest, basicHeader, parseLine, startApp } from "../../app_under_test.ts";

const SEARCH = "/api/v1/main/flows/search";
const SAME_SITE = { "sec-fetch-site": "same-origin" };
const FRONT_END = `BASIC_AUTH=${btoa(`${ADMIN.user}:${ADMIN.password}`)}`;

function logIn(server: AppUnderTest, body: object, address?: string): Promise<Response> {
  const headers = { "content-type": "application/json", ...SAME_SITE };
  return server.send("/api/v1/login", { method: "POST", headers, body: JSON.stringify(body) }, address);
}

/** The cookie of a new session. */
async function sessionOf(server: AppUnderTest): Promise<string> {
  const response = await logIn(server, { username: ADMIN.user, password: ADMIN.password });
  assertEquals(await response.json(), { username: "admin" });
  assertEquals([response.status, response.headers.get("cache-control")], [200, "no-store"]);
  const cookie = response.headers.getSetCookie().find((cookie) => cookie.startsWith("SLUICE_SESSION="));
  assert(cookie !== undefined && cookie.includes("; HttpOnly; Path=/; SameSite=Strict"));
  return cookie.split(";", 1)[0] ?? "";
}

async function statusOf(server: AppUnderTest, path: string, init: RequestInit): Promise<number> {
  const response = await server.send(path, init);
  await response.body?.cancel();
  return response.status;
}

Deno.test("POST /login opens a session, whose cookie is accepted on every route until POST /logout", async () => {
  await using server = await startApp({ isProtected: true });
  await server.tenants.create({ id: "acme", name: "acme" });
  const cookie = await sessionOf(server);
  assert(!cookie.includes(btoa(ADMIN.password).slice(0, 8)), "the cookie holds no password");
  for (const path of [SEARCH, "/api/v1/flows/search", "/api/v1/acme/flows/search", "/api/v1/me/api-tokens"]) {
    assertEquals(await statusOf(server, path, { headers: { cookie } }), 200, path);
  }
  const out = await server.send("/api/v1/logout", { method: "POST", headers: { cookie, ...SAME_SITE } });
  assertEquals([out.status, await out.json(), out.headers.getSetCookie().length], [200, {}, 3]);
  assertEquals(await statusOf(server, SEARCH, { headers: { cookie } }), 401);
  assertEquals(await statusOf(server, "/api/v1/logout", { method: "POST" }), 200);
});

Deno.test("a session ends when it is not used, and when the password changes", async () => {
  await using server = await startApp({ isProtected: true });
  const first = { headers: { cookie: await sessionOf(server) } };
  await server.clock.advance(SESSION_IDLE_MS);
  assertEquals(await statusOf(server, SEARCH, first), 401);
  const second = { headers: { cookie: await sessionOf(server) } };
  assertEquals(await statusOf(server, SEARCH, second), 200);
  server.users.setConfigured({ user: "admin", password: "changed" });
  assertEquals(await statusOf(server, SEARCH, second), 401);
});

const BODIES: readonly (readonly [what: string, body: object, status: number])[] = [
  ["a wrong password", { username: "admin", password: "wrong" }, 401],
  ["a wrong user", { username: "eve", password: ADMIN.password }, 401],
  ["an empty password", { username: "admin", password: "" }, 422],
  ["no user", { password: "x" }, 422],
  ["a number as password", { username: "admin", password: 1 }, 422],
];
for (const [what, body, status] of BODIES) {
  Deno.test(`POST /login with ${what} is ${status} and sets no cookie`, async () => {
    await using server = await startApp({ isProtected: true });
    const response = await logIn(server, body);
    assertEquals([response.status, response.headers.getSetCookie()], [status, []]);
    await response.body?.cancel();
  });
}

Deno.test("POST /login counts failures as other log-ins do, and logs each", async () => {
  const log: string[] = [];
  await using server = await startApp({ isProtected: true, log });
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 11; attempt++) {
    const response = await logIn(server, { username: "admin", password: `wrong${attempt}` });
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals(statuses, [...new Array(10).fill(401), 429]);
  assertEquals(await statusOf(server, SEARCH, { headers: basicHeader() }), 429);
  assertEquals(await statusOf(server, SEARCH, { headers: { cookie: FRONT_END } }), 429);
  const other = await logIn(server, { username: ADMIN.user, password: ADMIN.password }, "192.0.2.99");
  assertEquals(other.status, 200);
  await other.body?.cancel();
  const refused = log.map(parseLine).filter(({ message }) => message === "Refused a log-in");
  assertEquals(refused.length, 13);
  assertEquals([refused[0]?.user, refused[0]?.address], ["admin", "192.0.2.1"]);
});

Deno.test("POST /login on a server without credentials sets no session", async () => {
  await using server = await startApp();
  const response = await logIn(server, { username: "anyone", password: "anything" });
  assertEquals(response.status, 200);
  assertEquals(response.headers.getSetCookie(), ["kestraBasicAuthenticated=true; Path=/; SameSite=Strict"]);
  await response.body?.cancel();
});

Deno.test("cookies are Secure where the public address is https", async () => {
  await using server = await startApp({
    isProtected: true,
    config: { baseUrl: "https://sluice.example.org" },
  });
  const response = await logIn(server, { username: ADMIN.user, password: ADMIN.password });
  await response.body?.cancel();
  assert(response.headers.getSetCookie().every((cookie) => cookie.endsWith("; Secure")));
});

Deno.test("the cookie BASIC_AUTH of front ends is accepted like the header, which wins over it", async () => {
  await using server = await startApp({ isProtected: true });
  assertEquals(await statusOf(server, SEARCH, { headers: { cookie: FRONT_END } }), 200);
  assertEquals(
    await statusOf(server, SEARCH, { headers: { cookie: `SLUICE_SESSION=gone; ${FRONT_END}` } }),
    200,
  );
  const wrong = { cookie: FRONT_END, ...basicHeader({ user: "admin", password: "wrong" }) };
  assertEquals(await statusOf(server, SEARCH, { headers: wrong }), 401);
  const bad = [`BASIC_AUTH=${btoa("admin:wrong")}`, "BASIC_AUTH=!!!", "BASIC_AUTH=", "SLUICE_SESSION=guess"];
  for (const cookie of bad) {
    assertEquals(await statusOf(server, SEARCH, { headers: { cookie } }), 401, cookie);
  }
});

/** Headers of a change with a cookie, and whether it is accepted. */
const SITES: readonly (readonly [headers: Record<string, string>, status: number])[] = [
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ "sec-fetch-site": "none" }, 200],
  [{ "sec-fetch-site": "cross-site" }, 403],
  [{ "sec-fetch-site": "same-site" }, 403],
  [{ "sec-fetch-site": "cross-site", origin: "http://localhost:8080" }, 403],
  [{ origin: "http://localhost:8080" }, 200],
  [{ origin: "http://evil.example" }, 403],
  [{ origin: "http://localhost:8081" }, 403],
  [{ origin: "null" }, 403],
  [{ referer: "http://localhost:8080/ui/" }, 403],
  [{}, 403],
];
for (const [headers, status] of SITES) {
  Deno.test(`a change with a cookie and ${JSON.stringify(headers)} is ${status}`, async () => {
    await using server = await startApp({ isProtected: true });
    for (const cookie of [FRONT_END, await sessionOf(server)]) {
      const init = { method: "POST", headers: { ...headers, cookie } };
      assertEquals(await statusOf(server, "/api/v1/main/flows", init), status, cookie);
    }
  });
}

Deno.test("POST /login and /logout are refused for other sites", async () => {
  await using server = await startApp({ isProtected: true });
  for (const path of ["/api/v1/login", "/api/v1/logout", "/api/v1/main/basicAuth"]) {
    const init = { method: "POST", headers: { "sec-fetch-site": "cross-site" } };
    assertEquals(await statusOf(server, path, init), 403, path);
  }
});

/** Headers of a request without credentials, and whether a browser would open a dialog. */
const CHALLENGES: readonly (readonly [headers: Record<string, string>, isChallenged: boolean])[] = [
  [{}, true],
  [{ "sec-fetch-mode": "navigate" }, true],
  [{ "sec-fetch-mode": "cors" }, false],
  [{ "sec-fetch-mode": "same-origin" }, false],
  [{ referer: "http://localhost:8080/ui/login" }, false],
  [{ referer: "http://localhost:8080/ui/main/login?from=/" }, false],
];
for (const [headers, isChallenged] of CHALLENGES) {
  Deno.test(`401 for ${JSON.stringify(headers)} ${isChallenged ? "asks" : "does not ask"} for Basic`, async () => {
    await using server = await startApp({ isProtected: true });
    const response = await server.send(SEARCH, { headers });
    await response.body?.cancel();
    assertEquals([response.status, response.headers.has("www-authenticate")], [401, isChallenged]);
  });
}
