import { assert, assertEquals } from "@std/assert";
import type { Hono } from "hono";
import type { AppEnv } from "../../src/http/env.ts";
import type { Mount } from "../../src/http/mount.ts";
import { concurrencyLimitRoutes } from "../../src/http/routes/concurrency_limits.ts";
import { executionActionRoutes } from "../../src/http/routes/execution_actions.ts";
import { executionBulkRoutes } from "../../src/http/routes/execution_bulk.ts";
import { executionFileRoutes } from "../../src/http/routes/execution_files.ts";
import { executionViewRoutes } from "../../src/http/routes/execution_views.ts";
import { executionRoutes } from "../../src/http/routes/executions.ts";
import { expressionRoutes } from "../../src/http/routes/expressions.ts";
import { fileRoutes } from "../../src/http/routes/files.ts";
import { flowBulkRoutes } from "../../src/http/routes/flow_bulk.ts";
import { flowViewRoutes } from "../../src/http/routes/flow_views.ts";
import { flowRoutes } from "../../src/http/routes/flows.ts";
import { kvPairRoutes } from "../../src/http/routes/kv_pairs.ts";
import { logRoutes } from "../../src/http/routes/logs.ts";
import { metricRoutes } from "../../src/http/routes/metrics.ts";
import { namespaceRoutes } from "../../src/http/routes/namespaces.ts";
import { pageRoutes } from "../../src/http/routes/pages.ts";
import { pluginRoutes } from "../../src/http/routes/plugins.ts";
import { secretRoutes } from "../../src/http/routes/secrets.ts";
import { triggerBulkRoutes } from "../../src/http/routes/trigger_bulk.ts";
import { triggerRoutes } from "../../src/http/routes/triggers.ts";
import { webhookRoutes } from "../../src/http/routes/webhooks.ts";
import { type AppUnderTest, startApp } from "./app_under_test.ts";

type Build = ((deps: never) => Hono<AppEnv>) | undefined;

/** Every file of routes; the application itself mounts the last three. No handler of a protected route is ever reached. */
const ROUTE_FILES: ReadonlyMap<string, Build> = new Map<string, Build>([
  ["concurrency_limits.ts", concurrencyLimitRoutes],
  ["execution_actions.ts", executionActionRoutes],
  ["execution_bulk.ts", executionBulkRoutes],
  ["execution_files.ts", executionFileRoutes],
  ["execution_views.ts", executionViewRoutes],
  ["executions.ts", executionRoutes],
  ["expressions.ts", expressionRoutes],
  ["files.ts", fileRoutes],
  ["flow_bulk.ts", flowBulkRoutes],
  ["flow_views.ts", flowViewRoutes],
  ["flows.ts", flowRoutes],
  ["kv_pairs.ts", kvPairRoutes],
  ["logs.ts", logRoutes],
  ["metrics.ts", metricRoutes],
  ["namespaces.ts", namespaceRoutes],
  ["plugins.ts", pluginRoutes],
  ["secrets.ts", secretRoutes],
  ["trigger_bulk.ts", triggerBulkRoutes],
  ["triggers.ts", triggerRoutes],
  ["webhooks.ts", webhookRoutes],
  ["pages.ts", pageRoutes],
  ["misc.ts", undefined],
  ["tenants.ts", undefined],
  ["tokens.ts", undefined],
]);

const NO_SERVICES = {} as never;

/** The application with all routes of the product, behind a password. */
function startProduct(): Promise<AppUnderTest> {
  const mounts: Mount[] = [];
  for (const [name, build] of ROUTE_FILES) {
    if (build === undefined || name === "pages.ts") continue;
    const routes = build(NO_SERVICES);
    mounts.push(
      name === "webhooks.ts" ? { path: "/executions/webhook", routes, access: "webhook" } : { routes },
    );
  }
  return startApp({ isProtected: true, tenantRoutes: mounts, webRoutes: pageRoutes(NO_SERVICES) });
}

/** All that answers without credentials. A route that is added here is open to the world. */
const PUBLIC_ROUTES = [
  "GET /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key",
  "GET /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key/*",
  "GET /api/v1/main/configs",
  "GET /health",
  "GET /ping",
  "POST /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key",
  "POST /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key/*",
  "PUT /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key",
  "PUT /api/v1/:tenant/executions/webhook/:namespace/:flowId/:key/*",
];

/** What opened other servers of this kind when it was appended to a path. */
const SUFFIXES = [
  "",
  "/configs",
  "/configs/login",
  "/health",
  "/ready",
  "/ping",
  "/login",
  "/webhook",
  "/executions/webhook",
  ";x",
  ";/configs",
  "/;/ping",
  "%2fconfigs",
  "%2Fping",
  "%252fconfigs",
  "%00/ping",
  "%3f/configs",
  "%23/configs",
  "?/configs",
  "?x=/ping",
  "#/configs",
  "//",
  "//configs",
  "///ping",
  "/.",
  "/./configs",
  "/..;/ping",
  "/%2e%2e/configs",
  "/..%2fconfigs",
  "\\configs",
  "/CONFIGS",
  ".json",
  "/index.html",
];

/** The path of a route with its parameters filled in, with and without tenant. */
function pathsOf(pattern: string): string[] {
  const filled = pattern.replace(
    /:(\w+)(?:\{[^}]*\})?\??/g,
    (_, name) => name === "tenant" ? "main" : name === "id" ? "A1" : "x1",
  );
  return pattern.startsWith("/api/v1/:tenant") ? [filled, filled.replace("/main", "")] : [filled];
}

function spellings(base: string, suffix: string): string[] {
  return [base + suffix, (base + suffix).replace("/api/", "/API/"), `/${base}${suffix}`];
}

/** A request whose URL is as on the wire: `new Request` would resolve dots and backslashes. */
function rawRequest(path: string, method: string): Request {
  const request = new Request("http://127.0.0.1:8080/", { method });
  Object.defineProperty(request, "url", { value: `http://127.0.0.1:8080${path}` });
  return request;
}

Deno.test("ROUTE_FILES has every file of routes", async () => {
  const folder = new URL("../../src/http/routes/", import.meta.url);
  const names = await Array.fromAsync(Deno.readDir(folder), (entry) => entry.name);
  assertEquals(names.sort(), [...ROUTE_FILES.keys()].sort());
});

Deno.test("createApp() answers without credentials on the routes of the list alone", async () => {
  await using server = await startProduct();
  const open: string[] = [];
  for (const { method, path } of server.app.routes) {
    const response = await server.app.fetch(rawRequest(pathsOf(path)[0] ?? "", method));
    if (response.status !== 401) open.push(`${method} ${path}`);
    await response.body?.cancel();
  }
  assertEquals(open.sort(), PUBLIC_ROUTES);
});

Deno.test("createApp() answers 401 on every other route, whatever is appended to its path", async () => {
  await using server = await startProduct();
  const isProtected = (route: { method: string; path: string }) =>
    !PUBLIC_ROUTES.includes(`${route.method} ${route.path}`);
  let count = 0;
  for (const { method, path } of server.app.routes.filter(isProtected)) {
    for (const base of pathsOf(path)) {
      for (const target of SUFFIXES.flatMap((suffix) => spellings(base, suffix))) {
        const response = await server.app.fetch(rawRequest(target, method));
        assertEquals(response.status, 401, `${method} ${target}`);
        count++;
      }
    }
  }
  assert(count > 5_000, `only ${count} requests were tried`);
});
