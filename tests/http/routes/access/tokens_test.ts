import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type AppUnderTest, basicHeader, bearerHeader, startApp } from "../../app_under_test.ts";

const PATH = "/api/v1/me/api-tokens";

function create(
  server: AppUnderTest,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return server.send(PATH, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...basicHeader(), ...headers },
  });
}

Deno.test("POST /me/api-tokens shows the secret once, and it opens the server", async () => {
  await using server = await startApp({ isProtected: true });
  const response = await create(server, { name: "ci-runner", description: "for CI", maxAge: "P30D" });
  assertEquals([response.status, response.headers.get("cache-control")], [200, "no-store"]);
  const { fullToken, id, prefix, ...token } = await response.json();
  assertMatch(fullToken, /^sluice_[0-9A-Za-z]{48}$/);
  assertEquals(prefix, fullToken.slice(0, 12));
  assertEquals(token, {
    name: "ci-runner",
    description: "for CI",
    user: "admin",
    iat: "2026-01-15T10:30:00.000Z",
    exp: "2026-02-14T10:30:00.000Z",
    expired: false,
    extended: false,
  });
  const used = await server.send("/api/v1/main/flows/search", { headers: bearerHeader(fullToken) });
  assertEquals((await used.json()).user, "admin");
  const list = await (await server.send(PATH, { headers: basicHeader() })).text();
  assertEquals(list.includes(fullToken), false);
  const { results, total } = JSON.parse(list);
  assertEquals([total, results[0].id, results[0].lastUsed], [1, id, "2026-01-15T10:30:00.000Z"]);
});

Deno.test("GET /me/api-tokens lists expired tokens as such, the newest first", async () => {
  await using server = await startApp({ isProtected: true });
  for (const body of [{ name: "short", maxAge: "PT1H" }, { name: "limited", tenants: ["main"] }]) {
    assertEquals((await create(server, body)).status, 200);
  }
  await server.clock.advance(3_600_000);
  const { results } = await (await server.send(PATH, { headers: basicHeader() })).json();
  const shown = results.map((
    { name, expired, tenants }: Record<string, unknown>,
  ) => [name, expired, tenants]);
  assertEquals(shown, [["limited", false, ["main"]], ["short", true, undefined]]);
});

Deno.test("DELETE /me/api-tokens/:id revokes at once", async () => {
  await using server = await startApp({ isProtected: true });
  const { fullToken, id } = await (await create(server, { name: "gone" })).json();
  const use = async () =>
    (await server.send("/api/v1/main/flows/search", { headers: bearerHeader(fullToken) })).status;
  assertEquals(await use(), 200);
  const remove = () => server.send(`${PATH}/${id}`, { method: "DELETE", headers: basicHeader() });
  assertEquals((await remove()).status, 204);
  assertEquals(await use(), 401);
  assertEquals((await remove()).status, 404);
});

const REFUSED: [body: unknown, reason: string][] = [
  ["", "Invalid json"],
  ["{", "Invalid json"],
  [[], "is of the form"],
  [{}, "name:"],
  [{ name: "" }, "name:"],
  [{ name: "Upper" }, "name:"],
  [{ name: "-a" }, "name:"],
  [{ name: "a--b" }, "name:"],
  [{ name: "a_b" }, "name:"],
  [{ name: "a".repeat(64) }, "name:"],
  [{ name: 7 }, "name: must be a text"],
  [{ name: "a", description: "x".repeat(1001) }, "description:"],
  [{ name: "a", maxAge: "soon" }, "maxAge:"],
  [{ name: "a", maxAge: "PT0S" }, "maxAge:"],
  [{ name: "a", maxAge: "-PT1S" }, "maxAge:"],
  [{ name: "a", maxAge: "P99999999D" }, "maxAge:"],
  [{ name: "a", extended: true }, "extended:"],
  [{ name: "a", extended: "yes" }, "extended:"],
  [{ name: "a", tenants: "main" }, "tenants:"],
  [{ name: "a", tenants: [1] }, "tenants:"],
  [{ name: "a", tenants: ["nope"] }, 'there is no tenant "nope"'],
];

Deno.test("POST /me/api-tokens refuses an invalid token", async () => {
  await using server = await startApp({ isProtected: true });
  for (const [body, reason] of REFUSED) {
    const response = await create(server, body);
    assertEquals(response.status, 422, JSON.stringify(body));
    assertStringIncludes((await response.json()).message, reason);
  }
  const form = await create(server, "name=a", { "content-type": "application/x-www-form-urlencoded" });
  assertEquals(form.status, 415);
  assertEquals(server.tokens.list(), []);
});

Deno.test("POST /me/api-tokens is not for tokens limited to tenants", async () => {
  await using server = await startApp({ isProtected: true });
  const { fullToken } = await (await create(server, { name: "limited", tenants: ["main"] })).json();
  const response = await create(server, { name: "wider" }, bearerHeader(fullToken));
  assertEquals(response.status, 403);
  const { fullToken: wide } = await (await create(server, { name: "wide" })).json();
  assertEquals((await create(server, { name: "next" }, bearerHeader(wide))).status, 200);
});

const PASSWORD = "correct:horse";

Deno.test("/me/api-tokens shows and revokes the tokens of the caller, and all for an admin", async () => {
  await using server = await startApp({ isProtected: true });
  for (const user of ["emil", "eva"]) await server.users.create({ user, password: PASSWORD, role: "editor" });
  const headersOf = (user: string) => basicHeader({ user, password: PASSWORD });
  const ids = new Map<string, string>();
  for (const user of ["emil", "eva"]) {
    const response = await create(server, { name: `of-${user}` }, headersOf(user));
    ids.set(user, (await response.json()).id);
  }
  const namesFor = async (headers: Record<string, string>) => {
    const { results } = await (await server.send(PATH, { headers })).json();
    return results.map(({ user }: { readonly user: string }) => user);
  };
  assertEquals(await namesFor(headersOf("emil")), ["emil"]);
  assertEquals(await namesFor(basicHeader()), ["eva", "emil"]);
  const remove = async (user: string, headers: Record<string, string>) =>
    (await server.send(`${PATH}/${ids.get(user)}`, { method: "DELETE", headers })).status;
  assertEquals(await remove("eva", headersOf("emil")), 404);
  assertEquals(await remove("emil", headersOf("emil")), 204);
  assertEquals(await remove("eva", basicHeader()), 204);
});

Deno.test("POST /me/api-tokens gives a token no more than its creator has", async () => {
  await using server = await startApp({ isProtected: true });
  const reduced = await (await create(server, { name: "editor", role: "editor" })).json();
  assertEquals(reduced.role, "editor");
  const headers = bearerHeader(reduced.fullToken);
  const wide = await (await create(server, { name: "wide", role: "admin" }, headers)).json();
  const silent = await (await create(server, { name: "silent" }, headers)).json();
  const narrow = await (await create(server, { name: "narrow", role: "viewer" }, headers)).json();
  assertEquals([wide.role, silent.role, narrow.role], ["editor", "editor", "viewer"]);
  const users = await server.send("/api/v1/users", { headers: bearerHeader(silent.fullToken) });
  assertEquals(users.status, 403);
  assertEquals((await create(server, { name: "x" }, bearerHeader(narrow.fullToken))).status, 403);
  const worker = await create(server, { name: "w", workerGroups: ["gpu"] }, headers);
  assertEquals(worker.status, 403);
  assertStringIncludes((await worker.json()).message, 'a token for workers needs the role "admin"');
});

const BAD_ROLES: readonly (readonly [body: object, message: string])[] = [
  [{ name: "a", role: "root" }, 'role: must be "viewer", "editor", "admin"'],
  [{ name: "a", role: 1 }, 'role: must be "viewer", "editor", "admin"'],
  [{ name: "a", role: "viewer", workerGroups: ["gpu"] }, "role: a token for workers has none"],
];
for (const [body, message] of BAD_ROLES) {
  Deno.test(`POST /me/api-tokens refuses ${JSON.stringify(body)}`, async () => {
    await using server = await startApp({ isProtected: true });
    const response = await create(server, body);
    assertEquals(response.status, 422);
    assertStringIncludes((await response.json()).message, message);
  });
}

Deno.test("POST /me/api-tokens by a token that ends creates none that outlives it", async () => {
  await using server = await startApp({ isProtected: true });
  const { fullToken } = await (await create(server, { name: "short", maxAge: "PT2H" })).json();
  await server.clock.advance(3_600_000);
  const statuses: number[] = [];
  const bodies = [
    { maxAge: "PT1H" },
    { maxAge: "PT1H0.001S" },
    {},
    { maxAge: "PT1M", extended: true },
  ];
  for (const [index, body] of bodies.entries()) {
    const response = await create(server, { name: `t${index}`, ...body }, bearerHeader(fullToken));
    statuses.push(response.status);
    const { message } = await response.json();
    if (response.status !== 200) {
      assertStringIncludes(message, 'ends at 2026-01-15T12:30:00.000Z: give "maxAge"');
    }
  }
  assertEquals(statuses, [200, 422, 422, 422]);
});

Deno.test("POST /me/api-tokens by a token that each use prolongs creates any", async () => {
  await using server = await startApp({ isProtected: true });
  const { fullToken } = await (await create(server, { name: "long", maxAge: "PT2H", extended: true })).json();
  assertEquals((await create(server, { name: "a" }, bearerHeader(fullToken))).status, 200);
});
