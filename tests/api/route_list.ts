/** Every route of the server, read from the files that declare them, for tests that must try them all. */
import { concurrencyLimitRoutes } from "../../src/http/routes/executions/concurrency_limits.ts";
import { chartRoutes } from "../../src/http/routes/monitoring/charts.ts";
import { dashboardRoutes } from "../../src/http/routes/monitoring/dashboards.ts";
import { statisticsRoutes } from "../../src/http/routes/monitoring/statistics.ts";
import { executionActionRoutes } from "../../src/http/routes/executions/execution_actions.ts";
import { executionBulkRoutes } from "../../src/http/routes/executions/execution_bulk.ts";
import { executionFileRoutes } from "../../src/http/routes/executions/execution_files.ts";
import { executionViewRoutes } from "../../src/http/routes/executions/execution_views.ts";
import { executionRoutes } from "../../src/http/routes/executions/executions.ts";
import { auditLogRoutes } from "../../src/http/routes/server/audit_logs.ts";
import { backupRoutes } from "../../src/http/routes/server/backups.ts";
import { aiRoutes } from "../../src/http/routes/server/ai.ts";
import { blueprintRoutes } from "../../src/http/routes/flows/blueprints.ts";
import { expressionNameRoutes, expressionRoutes } from "../../src/http/routes/flows/expressions.ts";
import { serverMetricRoutes } from "../../src/http/routes/server/server_metrics.ts";
import { fileRoutes } from "../../src/http/routes/namespaces/files.ts";
import { flowBulkRoutes } from "../../src/http/routes/flows/flow_bulk.ts";
import { flowViewRoutes } from "../../src/http/routes/flows/flow_views.ts";
import { flowRoutes } from "../../src/http/routes/flows/flows.ts";
import { kvPairRoutes } from "../../src/http/routes/namespaces/kv_pairs.ts";
import { logRoutes } from "../../src/http/routes/monitoring/logs.ts";
import { metricRoutes } from "../../src/http/routes/monitoring/metrics.ts";
import { firstUserRoutes } from "../../src/http/routes/access/first_user.ts";
import { callerRoutes } from "../../src/http/routes/access/me.ts";
import { namespaceRenameRoutes } from "../../src/http/routes/namespaces/namespace_renames.ts";
import { namespaceRoutes } from "../../src/http/routes/namespaces/namespaces.ts";
import { openApiRoutes } from "../../src/http/routes/server/openapi.ts";
import { pageRoutes } from "../../src/http/routes/server/pages.ts";
import { pluginRoutes } from "../../src/http/routes/flows/plugins.ts";
import { secretRoutes } from "../../src/http/routes/namespaces/secrets.ts";
import { tenantRoutes } from "../../src/http/routes/access/tenants.ts";
import { userRoutes } from "../../src/http/routes/access/users.ts";
import { tokenRoutes } from "../../src/http/routes/access/tokens.ts";
import { triggerBulkRoutes } from "../../src/http/routes/triggers/trigger_bulk.ts";
import { triggerRoutes } from "../../src/http/routes/triggers/triggers.ts";

/** A route as declared; `path` begins with `/api/v1/:tenant`, `/api/v1/…` or `/ui`. */
export interface ListedRoute {
  readonly method: string;
  readonly path: string;
}

/** What routes are declared over; no handler is ever called. */
const NO_SERVICES = {} as never;

/** Files of routes of tenants. */
const TENANT_FILES = [
  executionRoutes(NO_SERVICES),
  executionActionRoutes(NO_SERVICES),
  executionBulkRoutes(NO_SERVICES),
  executionFileRoutes(NO_SERVICES),
  executionViewRoutes(NO_SERVICES),
  expressionRoutes(NO_SERVICES),
  fileRoutes(NO_SERVICES),
  flowRoutes(NO_SERVICES),
  flowBulkRoutes(NO_SERVICES),
  flowViewRoutes(NO_SERVICES),
  kvPairRoutes(NO_SERVICES),
  logRoutes(NO_SERVICES),
  metricRoutes(NO_SERVICES),
  namespaceRoutes(NO_SERVICES),
  namespaceRenameRoutes(NO_SERVICES),
  secretRoutes(NO_SERVICES),
  triggerRoutes(NO_SERVICES),
  triggerBulkRoutes(NO_SERVICES),
  concurrencyLimitRoutes(NO_SERVICES),
  chartRoutes(NO_SERVICES),
  dashboardRoutes(NO_SERVICES),
  statisticsRoutes(NO_SERVICES),
  blueprintRoutes(NO_SERVICES),
  aiRoutes(),
];

/** Routes that require credentials, with their path prefixes. */
const PROTECTED_FILES = [
  ...TENANT_FILES.map((routes) => ({ routes, prefix: "/api/v1/:tenant" })),
  { routes: firstUserRoutes(NO_SERVICES), prefix: "/api/v1/:tenant/basicAuth" },
  { routes: expressionNameRoutes(NO_SERVICES), prefix: "/api/v1" },
  { routes: pluginRoutes(NO_SERVICES), prefix: "/api/v1" },
  { routes: backupRoutes(NO_SERVICES), prefix: "/api/v1" },
  // For callers of all tenants only, whatever the tenant is.
  { routes: auditLogRoutes(NO_SERVICES), prefix: "/api/v1/main" },
  { routes: callerRoutes(NO_SERVICES), prefix: "/api/v1/me" },
  { routes: tenantRoutes(NO_SERVICES), prefix: "/api/v1/tenants" },
  { routes: tokenRoutes(NO_SERVICES, NO_SERVICES), prefix: "/api/v1/me/api-tokens" },
  { routes: userRoutes(NO_SERVICES), prefix: "/api/v1/users" },
  { routes: serverMetricRoutes(NO_SERVICES), prefix: "" },
  { routes: openApiRoutes(NO_SERVICES), prefix: "" },
  { routes: pageRoutes(NO_SERVICES), prefix: "/ui" },
];

/** Every route that requires credentials. */
export const PROTECTED_ROUTES: readonly ListedRoute[] = PROTECTED_FILES.flatMap(({ routes, prefix }) =>
  routes.routes.map(({ method, path }) => ({ method, path: prefix + (path === "/" ? "" : path) }))
);

/** An id of the right form that no execution has. */
const UNKNOWN_ID = "AVbbQ08s000Ox85LEc8pG1";

/** The path of a route with its parameters filled in. */
export function fillPath(pattern: string, tenant = "main"): string {
  return pattern.replace(/:(\w+)(?:\{[^}]*\})?\??/g, (_, name) => {
    if (name === "tenant") return tenant;
    return /id$/i.test(name) && name !== "flowId" ? UNKNOWN_ID : "x1";
  });
}

/** A request whose URL is as on the wire: `new Request` would resolve dots and backslashes. */
export function rawRequest(method: string, path: string, headers: Record<string, string> = {}): Request {
  const request = new Request("http://127.0.0.1:8080/", { method, headers });
  Object.defineProperty(request, "url", { value: `http://127.0.0.1:8080${path}` });
  return request;
}
