/** The application with every route of the product, whose handlers have nothing to work with. */
import type { Hono } from "hono";
import type { AppEnv } from "../../src/http/forms/env.ts";
import type { Mount } from "../../src/http/pipeline/mount.ts";
import { concurrencyLimitRoutes } from "../../src/http/routes/concurrency_limits.ts";
import { dashboardRoutes } from "../../src/http/routes/dashboards.ts";
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

/** Every file of routes; the application itself mounts the last five. No handler of a protected route is ever reached. */
export const ROUTE_FILES: ReadonlyMap<string, Build> = new Map<string, Build>([
  ["concurrency_limits.ts", concurrencyLimitRoutes],
  ["dashboards.ts", dashboardRoutes],
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
  ["server_metrics.ts", undefined],
  ["misc.ts", undefined],
  ["openapi.ts", undefined],
  ["tenants.ts", undefined],
  ["tokens.ts", undefined],
]);

const NO_SERVICES = {} as never;

/** The application with all routes of the product, behind a password. */
export function startProduct(): Promise<AppUnderTest> {
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
