/** Health checks, for load balancers and process supervisors. */
import { type Context, Hono } from "hono";
import { toIso } from "../../../base/time/clock.ts";
import type { DatabaseKind, ServerProblem } from "../../../model/server_health.ts";
import type { AppEnv } from "../../env.ts";

/** Seconds; a fault is checked again each second. */
const RETRY = { "retry-after": "1" };

/** Dependencies of the checks. */
export interface HealthDeps {
  /** True once requests can be served. */
  readonly isReady: () => boolean;
  /** What keeps the server from its work; must not reject. */
  readonly findProblem?: () => Promise<ServerProblem | undefined>;
  /** What an operator should change although the server works; must not reject. */
  readonly warning?: () => string | undefined;
  /** What holds the data; absent: a file. */
  readonly database?: DatabaseKind;
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
 * restarts a server for not being ready would prevent its recovery. The readiness names a database that is no file.
 */
export function healthRoutes(
  { isReady, findProblem, warning, database: kind, failedPlugins = [] }: HealthDeps,
): Hono<AppEnv> {
  const database = kind === "file" ? undefined : kind;
  const readiness = async (c: Context<AppEnv>) => {
    if (!isReady()) return c.json({ status: "DOWN", database }, 503, RETRY);
    const problem = await findProblem?.();
    if (!problem) {
      const plugins = failedPlugins.length > 0 ? { failedPlugins } : {};
      return c.json({ status: "UP", database, warning: warning?.(), ...plugins });
    }
    const { reason, since, stopsReads } = problem;
    const body = { status: stopsReads ? "DOWN" : "DEGRADED", reason, since: toIso(since), database };
    return stopsReads ? c.json(body, 503, RETRY) : c.json(body);
  };
  return new Hono<AppEnv>()
    .get("/", readiness)
    .get("/readiness", readiness)
    .get("/liveness", (c) => c.json({ status: "UP" }));
}
