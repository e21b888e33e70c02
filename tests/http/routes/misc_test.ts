import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Harness } from "../../support/harness.ts";
import { ADMIN, basicHeader, bearerHeader, startApp } from "../app_under_test.ts";

const HEALTH: readonly (readonly [path: string, isReady: boolean, status: number])[] = [
  ["/health", true, 200],
  ["/health", false, 503],
  ["/health/readiness", true, 200],
  ["/health/readiness", false, 503],
  ["/health/liveness", true, 200],
  ["/health/liveness", false, 200],
];
for (const [path, isReady, status] of HEALTH) {
  Deno.test(`GET ${path} answers ${status} when requests can${isReady ? "" : "not"} be served`, async () => {
    await using server = await startApp({ isProtected: true, isReady: () => isReady });
    const response = await server.send(path);
    assertEquals([response.status, await response.json()], [status, {
      status: status === 200 ? "UP" : "DOWN",
    }]);
  });
}

Deno.test("GET /configs names the server by an id that stays with its data", async () => {
  const uuids: string[] = [];
  for (const fill of [7, 7, 8]) {
    await using server = await Harness.start({ encryptionKey: new Uint8Array(32).fill(fill) });
    const { uuid } = await server.json("GET", "/api/v1/configs") as Record<string, string>;
    uuids.push(uuid ?? "");
  }
  assertMatch(uuids[0] ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  assertEquals(new Set(uuids).size, 2);
});

Deno.test("GET /configs/login tells how to log in, without and with tenant", async () => {
  await using server = await startApp({ isProtected: true });
  for (const path of ["/api/v1/configs/login", "/api/v1/main/configs/login"]) {
    const { isBasicAuthEnabled, edition } = await (await server.send(path)).json();
    assertEquals([isBasicAuthEnabled, edition], [true, "OSS"]);
  }
  assertEquals((await server.send("/api/v1/configs/other")).status, 401);
});

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

Deno.test("GET /me tells who calls", async () => {
  await using server = await startApp({ isProtected: true });
  const me = await (await server.send("/api/v1/me", { headers: basicHeader(ADMIN) })).json();
  assertEquals([me.id, me.superAdmin, me.tenants], ["admin", true, [{ id: "main", name: "Main" }]]);
  assertEquals((await server.send("/api/v1/me")).status, 401);
  const { secret } = await server.tokens.create("admin", {
    name: "limited",
    extended: false,
    tenants: ["main"],
  });
  assertEquals((await server.send("/api/v1/me", { headers: bearerHeader(secret) })).status, 403);
});

Deno.test("GET /pebble/filters and /pebble/functions list names in order", async () => {
  await using server = await Harness.start();
  const filters = await server.json("GET", "/api/v1/pebble/filters") as string[];
  const functions = await server.json("GET", "/api/v1/pebble/functions") as string[];
  for (const names of [filters, functions]) assertEquals(names, [...new Set(names)].sort());
  assertEquals([filters.includes("toJson"), functions.includes("secret"), functions.includes("now")], [
    true,
    true,
    true,
  ]);
});
