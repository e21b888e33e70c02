import { assertEquals, assertStringIncludes } from "@std/assert";
import { ADMIN, basicHeader, bearerHeader, startApp } from "../../app_under_test.ts";

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

Deno.test("GET /me returns the caller", async () => {
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
