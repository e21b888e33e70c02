import { assertEquals } from "@std/assert";
import { Hono } from "hono";
import type { AppEnv } from "../../../src/http/env.ts";
import { bearerHeader, startApp } from "../app_under_test.ts";
import { startProduct } from "../product_app.ts";

Deno.test("createApp() lets the token of a worker do nothing but work", async () => {
  await using product = await startProduct();
  const request = { name: "gpu", extended: false, workerGroups: ["gpu"] };
  const { secret } = await product.tokens.create("admin", request);
  const paths: readonly [string, string][] = [
    ["GET", "/api/v1/main/flows/search"],
    ["POST", "/api/v1/main/executions/a/b"],
    ["GET", "/api/v1/main/workers"],
    ["GET", "/api/v1/me"],
    ["POST", "/api/v1/me/api-tokens"],
    ["GET", "/metrics"],
    ["GET", "/api/v1/nothing"],
    ["GET", "/openapi.json"],
  ];
  for (const [method, path] of paths) {
    const { status } = await product.send(path, { method, headers: bearerHeader(secret) });
    assertEquals([path, status], [path, 403]);
  }
});

Deno.test("createApp() refuses other callers on the routes of workers", async () => {
  const handler = new Hono<AppEnv>();
  handler.post("/connect", (c) => c.json(c.get("actor").worker ?? null));
  await using server = await startApp({
    isProtected: true,
    tenantRoutes: [{ path: "/worker/x", routes: handler, access: "worker" }],
  });
  const worker = { name: "w", extended: false, workerGroups: ["gpu"], tenants: ["main"] };
  const tokens = [
    await server.tokens.create("admin", worker),
    await server.tokens.create("admin", {
      name: "other",
      extended: false,
    }),
  ];
  const statuses: number[] = [];
  for (const { secret } of tokens) {
    const headers = bearerHeader(secret);
    statuses.push((await server.send("/api/v1/main/worker/x/connect", { method: "POST", headers })).status);
  }
  statuses.push((await server.send("/api/v1/main/worker/x/connect", { method: "POST" })).status);
  assertEquals(statuses, [200, 403, 401]);
});
