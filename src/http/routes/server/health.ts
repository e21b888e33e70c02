/** Health checks, for load balancers and process supervisors. */
import { type Context, Hono } from "hono";
import type { AppEnv } from "../../forms/env.ts";

/** `GET /ping`: 200 while the process runs. */
export function pingRoutes(): Hono<AppEnv> {
  return new Hono<AppEnv>().get("/", (c) => c.text("pong"));
}

/**
 * `GET /health` and `/health/readiness`: 200 once requests can be served, else 503. `GET /health/liveness`: 200 while the
 * process runs; a supervisor that restarts a server for not being ready would prevent its recovery.
 */
export function healthRoutes(isReady: () => boolean): Hono<AppEnv> {
  const readiness = (c: Context<AppEnv>) =>
    isReady() ? c.json({ status: "UP" }) : c.json({ status: "DOWN" }, 503);
  return new Hono<AppEnv>()
    .get("/", readiness)
    .get("/readiness", readiness)
    .get("/liveness", (c) => c.json({ status: "UP" }));
}
