/** Routes that only look: at executions beside themselves, namespaces, concurrency limits. */
import type { Clock } from "../base/clock.ts";
import type { Mount } from "../http/mount.ts";
import { concurrencyLimitRoutes } from "../http/routes/concurrency_limits.ts";
import { executionViewRoutes } from "../http/routes/execution_views.ts";
import { namespaceRoutes } from "../http/routes/namespaces.ts";
import { ExecutionViews } from "../services/execution_views.ts";
import { Namespaces } from "../services/namespaces.ts";
import type { Services } from "./services.ts";

/** The routes, over services that nobody else needs. */
export function viewMounts(services: Services, clock: Clock): Mount[] {
  const views = new ExecutionViews(services);
  return [
    { routes: executionViewRoutes({ views, clock }) },
    { routes: namespaceRoutes(new Namespaces(services.flows)) },
    { routes: concurrencyLimitRoutes(services.concurrencyLimits) },
  ];
}
