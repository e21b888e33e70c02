import { assertEquals, assertStringIncludes } from "@std/assert";
import { ADMIN, type AppUnderTest, basicHeader, startApp } from "../../app_under_test.ts";

const LOOPBACK = "127.0.0.1";
const REMOTE = "192.0.2.1";

function setUp(server: AppUnderTest, members: object, address: string, path = "/api/v1/main/basicAuth") {
  const body = JSON.stringify({ uid: "u1", username: ADMIN.user, password: ADMIN.password, ...members });
  return server.send(
    path,
    { method: "POST", headers: { "content-type": "application/json" }, body },
    address,
  );
}

async function isInitialized(server: AppUnderTest): Promise<boolean> {
  return (await (await server.send("/api/v1/configs")).json()).isBasicAuthInitialized;
}

for (const path of ["/api/v1/basicAuth", "/api/v1/main/basicAuth"]) {
  Deno.test(`POST ${path} from the machine of the server sets the first user once`, async () => {
    await using server = await startApp({ isUserStored: true });
    assertEquals(await isInitialized(server), false);
    const response = await setUp(server, {}, LOOPBACK, path);
    assertEquals([response.status, await response.text()], [204, ""]);
    const cookie = response.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
    const entered = await server.send("/api/v1/main/flows/search", { headers: { cookie } });
    assertEquals((await entered.json()).user, "admin");
    assertEquals(await isInitialized(server), true);
    const again = await setUp(server, {}, LOOPBACK, path);
    assertEquals([again.status, (await again.json()).status], [401, 401]);
    const search = await server.send("/api/v1/main/flows/search", { headers: basicHeader() });
    assertEquals((await search.json()).user, "admin");
    const known = {
      method: "POST",
      headers: { ...basicHeader() },
      body: '{"username":"eve","password":"12345678"}',
    };
    const refused = await server.send(path, known, LOOPBACK);
    assertEquals([refused.status, (await refused.json()).message], [
      409,
      "Illegal state: the first user is set already; log in with its password",
    ]);
  });
}

Deno.test("POST /basicAuth from elsewhere needs the printed token", async () => {
  await using server = await startApp({ isUserStored: true });
  const refused = await setUp(server, {}, REMOTE);
  assertEquals(refused.status, 403);
  assertStringIncludes((await refused.json()).message, "token that the server printed");
  const invented = await server.send("/api/v1/basicAuth", {
    method: "POST",
    headers: { "x-forwarded-for": LOOPBACK },
    body: JSON.stringify({ username: "eve", password: "12345678" }),
  }, REMOTE);
  assertEquals([invented.status, (await invented.json()).status], [403, 403]);
  assertEquals((await setUp(server, { token: server.firstUser?.token }, REMOTE)).status, 204);
});

Deno.test("while there is no user, every other route requires credentials", async () => {
  await using server = await startApp({ isUserStored: true });
  for (const headers of [{}, basicHeader(), { cookie: "SLUICE_SESSION=x" }]) {
    const response = await server.send("/api/v1/main/flows/search", { headers }, LOOPBACK);
    assertEquals([response.status, (await response.json()).status], [401, 401]);
  }
});

Deno.test("GET /configs says that no set-up is needed, with and without protection", async () => {
  for (const isProtected of [false, true]) {
    await using server = await startApp({ isProtected });
    const login = await (await server.send("/api/v1/configs/login")).json();
    assertEquals([await isInitialized(server), login.isBasicAuthInitialized], [true, true]);
    assertEquals(login.isBasicAuthEnabled, isProtected);
  }
});

Deno.test("POST /basicAuth of a server without credentials is 409: there is nothing to set up", async () => {
  await using server = await startApp();
  const response = await setUp(server, {}, LOOPBACK);
  assertEquals(response.status, 409);
  assertStringIncludes((await response.json()).message, "--basic-auth-file");
});
