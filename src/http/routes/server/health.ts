/** Health checks, for load balancers and process supervisors. */
import { type Context, Hono } from "hono";
import { toIso } from "../../../base/clock.ts";
import type { ServerProblem } from "../../../model/server_health.ts";
import type { AppEnv } from "../../forms/env.ts";

/** Seconds; a fault is checked again each second. */
const RETRY = { "retry-after": "1" };

/** Dependencies of the checks. */
export interface HealthDeps {
  /** True once requests can be served. */
  readonly isReady: () => boolean;
  /** What keeps the server from its work; must not reject. */
  readonly findProblem?: () => Promise<ServerProblem | undefined>;
  /** Names of plugin files that could not be used. The log has the reasons. */
  readonly failedPlugins?: readonly string[];
}

/** `GET /ping`: 200 while the process runs. */
export function pingRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.text("pong"));
}

/**
 * `GET /health` and `/health/readiness`: 200 once requests can be served, else 503. While only writes are refused the
 * status is DEGRADED with 200, because reads go on. `GET /health/liveness`: 200 while the process runs; a supervisor that
 * restarts a server for not being ready would prevent its recovery.
 */
export function healthRoutes({ isReady, findProblem, failedPlugins = [] }: HealthDeps): Hono<AppEnv> {
  const readiness = async (c: Context<AppEnv>) => {
    if (!isReady()) return c.json({ status: "DOWN" }, 503, RETRY);
    const problem = await findProblem?.();
    if (!problem) return c.json({ status: "UP", ...failedPlugins.length > 0 && { failedPlugins } });
    const { reason, since, stopsReads } = problem;
    const body = { status: stopsReads ? "DOWN" : "DEGRADED", reason, since: toIso(since) };
    return stopsReads ? c.json(body, 503, RETRY) : c.json(body);
  };
  return new Hono<AppEnv>()
    .get("/", readiness)
    .get("/readiness", readiness)
    .get("/liveness", (c) => c.json({ status: "UP" }));
}
