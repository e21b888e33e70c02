import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { Harness } from "../../../support/harness.ts";
import { startApp } from "../../app_under_test.ts";

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

Deno.test("GET /configs says which views of front ends there are", async () => {
  await using server = await Harness.start();
  const configs = await server.json("GET", "/api/v1/configs") as JsonObject;
  assertEquals(Object.entries(configs).filter(([name]) => /^is.*Enabled$/.test(name)), [
    ["isBasicAuthEnabled", false],
    ["isCustomDashboardsEnabled", true],
    ["isTaskRunEnabled", false],
    ["isAnonymousUsageEnabled", false],
    ["isUiAnonymousUsageEnabled", false],
    ["isTemplateEnabled", false],
    ["isAiEnabled", false],
  ]);
});

Deno.test("GET /configs/login returns the login methods, without and with tenant", async () => {
  await using server = await startApp({ isProtected: true });
  for (const path of ["/api/v1/configs/login", "/api/v1/main/configs/login"]) {
    const { isBasicAuthEnabled, edition } = await (await server.send(path)).json();
    assertEquals([isBasicAuthEnabled, edition], [true, "OSS"]);
  }
  assertEquals((await server.send("/api/v1/configs/other")).status, 401);
});
