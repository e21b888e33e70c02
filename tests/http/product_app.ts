/** The application with every route of the product; the handlers have no services. */
import type { Hono } from "hono";
import type { AppEnv } from "../../src/http/env.ts";
import type { Mount } from "../../src/http/pipeline/mount.ts";
import { concurrencyLimitRoutes } from "../../src/http/routes/executions/concurrency_limits.ts";
import { chartRoutes } from "../../src/http/routes/monitoring/charts.ts";
import { dashboardRoutes } from "../../src/http/routes/monitoring/dashboards.ts";
import { statisticsRoutes } from "../../src/http/routes/monitoring/statistics.ts";
import { executionActionRoutes } from "../../src/http/routes/executions/execution_actions.ts";
import { executionBulkRoutes } from "../../src/http/routes/executions/execution_bulk.ts";
import { executionFileRoutes } from "../../src/http/routes/executions/execution_files.ts";
import { executionViewRoutes } from "../../src/http/routes/executions/execution_views.ts";
import { executionRoutes } from "../../src/http/routes/executions/executions.ts";
import { aiRoutes } from "../../src/http/routes/server/ai.ts";
import { blueprintRoutes } from "../../src/http/routes/flows/blueprints.ts";
import { auditLogRoutes } from "../../src/http/routes/server/audit_logs.ts";
import { backupRoutes } from "../../src/http/routes/server/backups.ts";
import { clusterRoutes } from "../../src/http/routes/server/cluster.ts";
import { expressionRoutes } from "../../src/http/routes/flows/expressions.ts";
import { fileRoutes } from "../../src/http/routes/namespaces/files.ts";
import { flowBulkRoutes } from "../../src/http/routes/flows/flow_bulk.ts";
import { flowViewRoutes } from "../../src/http/routes/flows/flow_views.ts";
import { flowTestRoutes } from "../../src/http/routes/flows/flow_tests.ts";
import { flowRoutes } from "../../src/http/routes/flows/flows.ts";
import { kvPairRoutes } from "../../src/http/routes/namespaces/kv_pairs.ts";
import { logRoutes } from "../../src/http/routes/monitoring/logs.ts";
import { metricRoutes } from "../../src/http/routes/monitoring/metrics.ts";
import { namespaceRenameRoutes } from "../../src/http/routes/namespaces/namespace_renames.ts";
import { namespaceRoutes } from "../../src/http/routes/namespaces/namespaces.ts";
import { workerListRoutes } from "../../src/http/routes/server/workers.ts";
import { pageRoutes } from "../../src/http/routes/server/pages.ts";
import { pluginRoutes } from "../../src/http/routes/flows/plugins.ts";
import { secretRoutes } from "../../src/http/routes/namespaces/secrets.ts";
import { triggerBulkRoutes } from "../../src/http/routes/triggers/trigger_bulk.ts";
import { triggerRoutes } from "../../src/http/routes/triggers/triggers.ts";
import { webhookRoutes } from "../../src/http/routes/triggers/webhooks.ts";
import { type AppSetup, type AppUnderTest, startApp } from "./app_under_test.ts";

type Build = ((deps: never) => Hono<AppEnv>) | undefined;

/** Every file of routes, by its path below `src/http/routes`; the application itself mounts those without a function. No handler of a protected route is ever called. */
export const ROUTE_FILES: ReadonlyMap<string, Build> = new Map<string, Build>([
  ["executions/concurrency_limits.ts", concurrencyLimitRoutes],
  ["server/cluster.ts", clusterRoutes],
  ["server/backups.ts", backupRoutes],
  ["server/audit_logs.ts", auditLogRoutes],
  ["monitoring/charts.ts", chartRoutes],
  ["monitoring/dashboards.ts", dashboardRoutes],
  ["monitoring/statistics.ts", statisticsRoutes],
  ["executions/execution_actions.ts", executionActionRoutes],
  ["executions/execution_bulk.ts", executionBulkRoutes],
  ["executions/execution_files.ts", executionFileRoutes],
  ["executions/execution_views.ts", executionViewRoutes],
  ["executions/executions.ts", executionRoutes],
  ["flows/blueprints.ts", blueprintRoutes],
  ["flows/expressions.ts", expressionRoutes],
  ["namespaces/files.ts", fileRoutes],
  ["flows/flow_bulk.ts", flowBulkRoutes],
  ["flows/flow_tests.ts", flowTestRoutes],
  ["flows/flow_views.ts", flowViewRoutes],
  ["flows/flows.ts", flowRoutes],
  ["namespaces/kv_pairs.ts", kvPairRoutes],
  ["monitoring/logs.ts", logRoutes],
  ["monitoring/metrics.ts", metricRoutes],
  ["namespaces/namespaces.ts", namespaceRoutes],
  ["namespaces/namespace_renames.ts", namespaceRenameRoutes],
  ["flows/plugins.ts", pluginRoutes],
  ["namespaces/secrets.ts", secretRoutes],
  ["triggers/trigger_bulk.ts", triggerBulkRoutes],
  ["triggers/triggers.ts", triggerRoutes],
  ["triggers/webhooks.ts", webhookRoutes],
  ["server/pages.ts", pageRoutes],
  ["server/workers.ts", workerListRoutes],
  ["server/server_metrics.ts", undefined],
  ["server/ai.ts", aiRoutes],
  ["access/first_user.ts", undefined],
  ["access/login.ts", undefined],
  ["access/login_pages.ts", undefined],
  ["access/me.ts", undefined],
  ["server/configs.ts", undefined],
  ["server/health.ts", undefined],
  ["server/openapi.ts", undefined],
  ["server/settings.ts", undefined],
  ["access/tenants.ts", undefined],
  ["access/tokens.ts", undefined],
  ["access/users.ts", undefined],
]);

const NO_SERVICES = {} as never;

/** The pages, with the handlers that `standIns` gives them. */
export function pageStandIns(standIns: (routes: Hono<AppEnv>) => Hono<AppEnv>): Hono<AppEnv> {
  return standIns(pageRoutes(NO_SERVICES));
}

/** The application with all routes of the product, behind a password. */
export function startProduct(setup: Pick<AppSetup, "isUserStored"> = {}): Promise<AppUnderTest> {
  const mounts: Mount[] = [];
  for (const [name, build] of ROUTE_FILES) {
    if (build === undefined || name === "server/pages.ts") continue;
    const routes = build(NO_SERVICES);
    mounts.push(
      name === "triggers/webhooks.ts"
        ? { path: "/executions/webhook", routes, access: "webhook" }
        : { routes },
    );
  }
  return startApp({
    isProtected: true,
    ...setup,
    tenantRoutes: mounts,
    webRoutes: pageRoutes(NO_SERVICES),
  });
}
