/** Routes over services that nobody else needs: views of executions, namespaces, dashboards, concurrency limits. */
import type { Mount } from "../http/pipeline/mount.ts";
import { concurrencyLimitRoutes } from "../http/routes/executions/concurrency_limits.ts";
import { dashboardRoutes } from "../http/routes/monitoring/dashboards.ts";
import { executionViewRoutes } from "../http/routes/executions/execution_views.ts";
import { namespaceRoutes } from "../http/routes/namespaces/namespaces.ts";
import { Dashboards } from "../services/metrics/dashboards.ts";
import { ExecutionViews } from "../services/executions/execution_views.ts";
import { FlowDependencies } from "../services/flows/flow_dependencies.ts";
import { Namespaces } from "../services/namespaces/namespaces.ts";
import { DashboardRecords } from "../store/records/dashboard_records.ts";
import { NamespaceRecords } from "../store/records/namespace_records.ts";
import type { HttpAssemblyOptions } from "./http_options.ts";

/** The routes. */
export function viewMounts({ services, options, committer, ids }: HttpAssemblyOptions): Mount[] {
  const { store, clock } = options;
  const { executions, flows } = services;
  const views = new ExecutionViews(services);
  const dependencies = new FlowDependencies(flows);
  const namespaces = new Namespaces({ ...services, records: new NamespaceRecords(store, committer) });
  const dashboards = new Dashboards({ records: new DashboardRecords(store, committer), clock, ids });
  return [
    { routes: executionViewRoutes({ views, executions, dependencies, clock }) },
    { routes: namespaceRoutes(namespaces) },
    { routes: dashboardRoutes(dashboards) },
    { routes: concurrencyLimitRoutes(services.concurrencyLimits) },
  ];
}
