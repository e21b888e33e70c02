import { assertEquals, assertStringIncludes } from "@std/assert";
import { type AppUnderTest, basicHeader, bearerHeader, startApp } from "../../app_under_test.ts";

const PATH = "/api/v1/users";
const PASSWORD = "correct:horse";

/** A request of the admin. */
async function send(
  server: AppUnderTest,
  request: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const [method, path] = request.split(" ");
  const response = await server.send(`${PATH}${path ?? ""}`, {
    method,
    headers: { ...basicHeader(), ...(body !== undefined && { "content-type": "application/json" }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

const statusOf = async (server: AppUnderTest, user: string, password = PASSWORD) =>
  (await server.send("/api/v1/main/flows/search", { headers: basicHeader({ user, password }) })).status;

Deno.test("POST /users creates a user who can log in; the list never shows a password", async () => {
  await using server = await startApp({ isProtected: true });
  const created = await send(server, "POST ", { username: "vera", password: PASSWORD, role: "viewer" });
  const vera = {
    id: "vera",
    username: "vera",
    role: "viewer",
    superAdmin: false,
    disabled: false,
    configured: false,
    created: "2026-01-15T10:30:00.000Z",
  };
  assertEquals(created, { status: 201, body: vera });
  assertEquals(await statusOf(server, "vera"), 200);
  assertEquals((await send(server, "GET /vera")).body, vera);
  const admin = {
    id: "admin",
    username: "admin",
    role: "admin",
    superAdmin: true,
    disabled: false,
    configured: true,
  };
  assertEquals((await send(server, "GET ")).body, { results: [admin, vera], total: 2 });
  assertEquals((await send(server, "GET ?q=VER&size=1")).body, { results: [vera], total: 1 });
});

Deno.test("POST /users reads the members of other servers of this API", async () => {
  await using server = await startApp({ isProtected: true });
  const bodies: readonly (readonly [body: object, role: string])[] = [
    [{ email: "a@example.org", password: PASSWORD, superAdmin: true }, "admin"],
    [{ email: "b@example.org", password: PASSWORD, superAdmin: false }, "editor"],
    [{ email: "c@example.org", password: PASSWORD }, "viewer"],
  ];
  for (const [body, role] of bodies) {
    const { status, body: user } = await send(server, "POST ", body);
    assertEquals([status, user["role"]], [201, role]);
  }
  const changed = await send(server, "PATCH /a%40example.org/superadmin", { superAdmin: false });
  assertEquals([changed.status, changed.body["role"]], [200, "editor"]);
});

const REFUSED: readonly (readonly [what: string, body: unknown, status: number, message: string])[] = [
  ["a taken name", { username: "admin", password: PASSWORD }, 409, "it exists already"],
  ["no name", { password: PASSWORD }, 422, "username: the user name must not be empty"],
  ["a name with a colon", { username: "a:b", password: PASSWORD }, 422, "username:"],
  ["the name of callers without a login", { username: "anonymous", password: PASSWORD }, 422, "username:"],
  [
    "a name that differs from another by case",
    { username: "ADMIN", password: PASSWORD },
    409,
    '"admin" exists',
  ],
  ["a name in wide letters", { username: "ａdmin", password: PASSWORD }, 409, '"admin" exists'],
  ["half a character", { username: "a\ud800", password: PASSWORD }, 422, "username: it must be well-formed"],
  ["a space at the end", { username: "admin ", password: PASSWORD }, 422, "username: it must be well-formed"],
  [
    "a hidden character",
    { username: "ad\u200bmin", password: PASSWORD },
    422,
    "username: it must be well-formed",
  ],
  [
    "a reversed text",
    { username: "\u202enimda", password: PASSWORD },
    422,
    "username: it must be well-formed",
  ],
  ["a part of a path", { username: "..", password: PASSWORD }, 422, "username: it must be well-formed"],
  ["a long name", { username: "a".repeat(257), password: PASSWORD }, 422, "username: at most 256"],
  ["a short password", { username: "a", password: "1234567" }, 422, "password: must have 8 to 256"],
  ["no password", { username: "a" }, 422, "password: must have 8 to 256"],
  ["an unknown role", { username: "a", password: PASSWORD, role: "root" }, 422, 'role: must be "viewer"'],
  ["an unknown tenant", { username: "a", password: PASSWORD, tenants: ["x"] }, 422, 'there is no tenant "x"'],
  [
    "an admin with tenants",
    { username: "a", password: PASSWORD, role: "admin", tenants: ["main"] },
    422,
    "tenants: a user with the role admin enters all",
  ],
  [
    "tenants that are no list",
    { username: "a", password: PASSWORD, tenants: "main" },
    422,
    "tenants: must be a list",
  ],
  ["a list", [], 422, "a user is of the form"],
];
for (const [what, body, status, message] of REFUSED) {
  Deno.test(`POST /users refuses ${what}`, async () => {
    await using server = await startApp({ isProtected: true });
    const response = await send(server, "POST ", body);
    assertEquals(response.status, status);
    assertStringIncludes(String(response.body["message"]), message);
    assertEquals((await send(server, "GET ")).body["total"], 1);
  });
}

Deno.test("PATCH /users/:name changes role, tenants, password and log-in; absent members stay", async () => {
  await using server = await startApp({ isProtected: true });
  await server.tenants.create({ id: "acme", name: "Acme" });
  await send(server, "POST ", { username: "eva", password: PASSWORD, role: "editor", tenants: ["acme"] });
  assertEquals(await statusOf(server, "eva"), 404);
  const steps: readonly (readonly [body: object, role: unknown, tenants: unknown, disabled: unknown])[] = [
    [{ role: "viewer" }, "viewer", ["acme"], false],
    [{ tenants: null }, "viewer", undefined, false],
    [{ disabled: true }, "viewer", undefined, true],
    [{ disabled: false, role: "admin" }, "admin", undefined, false],
  ];
  for (const [body, ...expected] of steps) {
    const { status, body: user } = await send(server, "PATCH /eva", body);
    assertEquals([status, user["role"], user["tenants"], user["disabled"]], [200, ...expected]);
    assertEquals(await statusOf(server, "eva"), user["disabled"] ? 401 : user["tenants"] ? 404 : 200);
  }
  assertEquals((await send(server, "PATCH /eva/password", { password: "battery:staple" })).status, 200);
  assertEquals([await statusOf(server, "eva"), await statusOf(server, "eva", "battery:staple")], [401, 200]);
  const renamed = await send(server, "PUT /eva", { username: "eve" });
  assertEquals([renamed.status, (await send(server, "PATCH /nobody", {})).status], [422, 404]);
});

Deno.test("DELETE /users/:name removes a user; the configured one stays", async () => {
  await using server = await startApp({ isProtected: true });
  await send(server, "POST ", { username: "eva", password: PASSWORD });
  assertEquals((await send(server, "DELETE /eva")).status, 204);
  assertEquals([await statusOf(server, "eva"), (await send(server, "DELETE /eva")).status], [401, 404]);
  const refused = await send(server, "DELETE /admin");
  assertEquals(refused.status, 409);
  assertStringIncludes(String(refused.body["message"]), "is an option of the server");
  assertEquals((await send(server, "PATCH /admin", { role: "viewer" })).status, 409);
});

Deno.test("/users/:name/api-tokens manages tokens of a user, which act as that user", async () => {
  await using server = await startApp({ isProtected: true });
  await server.tenants.create({ id: "acme", name: "Acme" });
  await send(server, "POST ", { username: "eva", password: PASSWORD, role: "editor", tenants: ["acme"] });
  const created = await send(server, "POST /eva/api-tokens", { name: "ci", tenants: ["acme", "main"] });
  assertEquals([created.status, created.body["user"]], [200, "eva"]);
  const headers = bearerHeader(String(created.body["fullToken"]));
  const use = async (path: string) => (await server.send(path, { headers })).status;
  assertEquals([await use("/api/v1/acme/flows/search"), await use("/api/v1/main/flows/search")], [200, 404]);
  assertEquals([await use("/api/v1/tenants/search"), await use(PATH)], [403, 403]);
  assertEquals((await send(server, "GET /eva/api-tokens")).body["total"], 1);
  assertEquals((await send(server, "GET /admin/api-tokens")).body["total"], 0);
  const id = created.body["id"];
  assertEquals((await send(server, `DELETE /admin/api-tokens/${id}`)).status, 404);
  assertEquals((await send(server, `DELETE /eva/api-tokens/${id}`)).status, 204);
  assertEquals(await use("/api/v1/acme/flows/search"), 401);
  assertEquals((await send(server, "GET /nobody/api-tokens")).status, 404);
});

Deno.test("a server without a login has no users, and takes none", async () => {
  await using server = await startApp();
  assertEquals((await send(server, "GET ")).body, { results: [], total: 0 });
  const refused = await send(server, "POST ", { username: "eva", password: PASSWORD, role: "admin" });
  assertEquals(refused.status, 409);
  assertStringIncludes(String(refused.body["message"]), "a server without a login has no users");
});

for (const name of ["__proto__", "constructor", "a/b", "a%2Fb", "a?b#c", "a b"]) {
  Deno.test(`a user named ${name} logs in, is changed and is removed`, async () => {
    await using server = await startApp({ isProtected: true });
    const path = `/${encodeURIComponent(name)}`;
    assertEquals((await send(server, "POST ", { username: name, password: PASSWORD })).status, 201);
    assertEquals(await statusOf(server, name), 200);
    assertEquals((await send(server, `PATCH ${path}`, { role: "editor" })).body["role"], "editor");
    assertEquals((await send(server, `DELETE ${path}`)).status, 204);
    assertEquals([await statusOf(server, name), (await send(server, "GET ")).body["total"]], [401, 1]);
  });
}

const ENDS:
  readonly (readonly [how: string, end: (server: AppUnderTest, tokenId: string) => Promise<unknown>])[] = [
    ["removed", ({ users }) => users.remove("vera")],
    ["demoted", ({ users }) => users.change("vera", { role: "viewer" })],
    ["revoked", ({ tokens }, id) => tokens.revoke(id)],
  ];
for (const [how, end] of ENDS) {
  Deno.test(`POST /users is refused if its sender is ${how} before the end of the body`, async () => {
    await using server = await startApp({ isProtected: true });
    await server.users.create({ user: "vera", password: PASSWORD, role: "admin" });
    const { token, secret } = await server.tokens.create("vera", { name: "t", extended: false });
    const sent = new TransformStream<Uint8Array, Uint8Array>();
    const headers = { ...bearerHeader(secret), "content-type": "application/json" };
    const response = server.send(PATH, { method: "POST", headers, body: sent.readable });
    const writer = sent.writable.getWriter();
    await writer.write(new TextEncoder().encode(`{"username": "mallory", "password": "${PASSWORD}",`));
    await end(server, token.id);
    await writer.write(new TextEncoder().encode('"role": "admin"}'));
    await writer.close();
    assertEquals((await response).status, 401);
    assertEquals(server.users.find("mallory"), undefined);
  });
}
