/** Server metrics for collectors. */
import { type Context, Hono } from "hono";
import type { ServerMetric } from "../../../model/server_metric.ts";
import type { AppEnv } from "../../env.ts";
import { SERVER_METRICS_TYPE, serverMetricsText } from "../../responses/server_metrics_text.ts";

/** `GET /prometheus` and `/metrics`, the default path of collectors. */
export function serverMetricRoutes(collect: () => Promise<readonly ServerMetric[]>): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  for (const path of ["/prometheus", "/metrics"]) {
    routes.get(path, async (c: Context<AppEnv>) => {
      const headers = { "content-type": SERVER_METRICS_TYPE, "cache-control": "no-store" };
      return c.body(serverMetricsText(await collect()), 200, headers);
    });
  }
  return routes;
}
