import { assertEquals, assertStringIncludes } from "@std/assert";
import { ADMIN, type AppUnderTest, basicHeader, bearerHeader, startApp } from "../../app_under_test.ts";

Deno.test("POST /basicAuth is refused, and says what to do instead", async () => {
  await using server = await startApp({ isProtected: true });
  const body = '{"username":"a@b.c","password":"Abcdefg1"}';
  for (const path of ["/api/v1/basicAuth", "/api/v1/main/basicAuth"]) {
    const response = await server.send(path, { method: "POST", body, headers: basicHeader(ADMIN) });
    assertEquals(response.status, 409);
    assertStringIncludes((await response.json()).message, "--basic-auth-file");
    const stranger = await server.send(path, { method: "POST", body });
    assertEquals([stranger.status, (await stranger.json()).status], [401, 401]);
  }
  const problems = await server.send("/api/v1/basicAuthValidationErrors");
  assertEquals([problems.status, await problems.json()], [200, []]);
});

Deno.test("GET /me returns the caller, what it may do, and the tenants that it may enter", async () => {
  await using server = await startApp({ isProtected: true });
  await server.tenants.create({ id: "acme", name: "Acme" });
  const me = async (headers: Record<string, string>) =>
    await (await server.send("/api/v1/me", { headers })).json();
  const main = { id: "main", name: "Main" };
  const acme = { id: "acme", name: "Acme" };
  assertEquals(await me(basicHeader(ADMIN)), {
    id: "admin",
    username: "admin",
    superAdmin: true,
    role: "admin",
    rights: ["read", "own", "change", "administer"],
    isLimited: false,
    hasPassword: false,
    profile: { username: "admin" },
    tenants: [main, acme],
  });
  assertEquals((await server.send("/api/v1/me")).status, 401);
  const { secret } = await server.tokens.create("admin", {
    name: "limited",
    extended: false,
    role: "viewer",
    tenants: ["acme"],
  });
  const limited = await me(bearerHeader(secret));
  assertEquals([limited.role, limited.rights, limited.tenants], ["viewer", ["read", "own"], [acme]]);
  assertEquals(limited.isLimited, true);
});

Deno.test("GET /me of a server without a login names an admin without a password", async () => {
  await using server = await startApp();
  const me = await (await server.send("/api/v1/me")).json();
  assertEquals([me.username, me.role, me.hasPassword], ["anonymous", "admin", false]);
});

const OLD = { user: "anna", password: "correct:horse" };
const NEW = { user: "anna", password: "battery:staple" };

function changePassword(
  server: AppUnderTest,
  body: object,
  headers: Record<string, string>,
): Promise<Response> {
  return server.send("/api/v1/me/password", {
    method: "PUT",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

const statusOf = async (server: AppUnderTest, headers: Record<string, string>) =>
  (await server.send("/api/v1/main/flows/search", { headers })).status;

Deno.test("PUT /me/password needs the old one, and ends all log-ins but that of the browser that asks", async () => {
  await using server = await startApp({ isProtected: true });
  await server.users.create({ ...OLD, role: "viewer" });
  const cookieOf = (session?: string) => ({ cookie: `SLUICE_SESSION=${session}` });
  const [mine, other] = [await server.auth.logIn(OLD, "::1"), await server.auth.logIn(OLD, "::1")];
  assertEquals(await statusOf(server, basicHeader(OLD)), 200);
  const browser = { ...cookieOf(mine), "sec-fetch-site": "same-origin" };
  const passwords = { oldPassword: OLD.password, newPassword: NEW.password };
  const response = await changePassword(server, passwords, browser);
  assertEquals(response.status, 204);
  const session = /SLUICE_SESSION=([^;]+)/.exec(response.headers.getSetCookie()[0] ?? "")?.[1];
  const after = [cookieOf(mine), cookieOf(other), basicHeader(OLD), basicHeader(NEW), cookieOf(session)];
  const statuses: number[] = [];
  for (const headers of after) statuses.push(await statusOf(server, headers));
  assertEquals(statuses, [401, 401, 401, 200, 200]);
  const again = await changePassword(server, { oldPassword: NEW.password, newPassword: OLD.password }, {
    ...basicHeader(NEW),
  });
  assertEquals([again.status, again.headers.getSetCookie()], [204, []]);
});

const REFUSED: readonly (readonly [what: string, body: object, status: number, message: string])[] = [
  [
    "a wrong old password",
    { oldPassword: "wrong", newPassword: NEW.password },
    422,
    "oldPassword: it is not",
  ],
  ["no old password", { newPassword: NEW.password }, 422, "oldPassword: it is not"],
  [
    "a short new one",
    { oldPassword: OLD.password, newPassword: "short" },
    422,
    "newPassword: must have 8 to 256",
  ],
  ["a number", { oldPassword: OLD.password, newPassword: 12345678 }, 422, "newPassword: must be a text"],
];
for (const [what, body, status, message] of REFUSED) {
  Deno.test(`PUT /me/password refuses ${what}`, async () => {
    await using server = await startApp({ isProtected: true });
    await server.users.create({ ...OLD, role: "viewer" });
    const response = await changePassword(server, body, basicHeader(OLD));
    assertEquals(response.status, status);
    assertStringIncludes((await response.json()).message, message);
    assertEquals(await statusOf(server, basicHeader(OLD)), 200);
  });
}

Deno.test("PUT /me/password counts wrong old passwords as failed log-ins", async () => {
  await using server = await startApp({ isProtected: true });
  await server.users.create({ ...OLD, role: "viewer" });
  const statuses: number[] = [];
  for (let n = 0; n < 11; n++) {
    const body = { oldPassword: `wrong${n}`, newPassword: NEW.password };
    statuses.push((await changePassword(server, body, basicHeader(OLD))).status);
  }
  assertEquals(statuses, [...new Array(10).fill(422), 429]);
});

Deno.test("PUT /me/password is refused for the configured user, and without a login", async () => {
  await using server = await startApp({ isProtected: true });
  const passwords = { oldPassword: ADMIN.password, newPassword: NEW.password };
  const response = await changePassword(server, passwords, basicHeader(ADMIN));
  assertEquals(response.status, 409);
  assertStringIncludes((await response.json()).message, "--basic-auth-file");
  await using open = await startApp();
  assertEquals((await changePassword(open, passwords, {})).status, 404);
});
