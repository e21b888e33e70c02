/** Figures for those who watch the server. */
import { type Context, Hono } from "hono";
import type { ServerMetric } from "../../../model/server_metric.ts";
import type { AppEnv } from "../../forms/env.ts";
import { FIGURE_TEXT_TYPE, serverMetricsText } from "../../responses/server_metrics_text.ts";

/** `GET /prometheus`, and `/metrics`, where collectors look first. */
export function serverMetricRoutes(collect: () => Promise<readonly ServerMetric[]>): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  for (const path of ["/prometheus", "/metrics"]) {
    routes.get(path, async (c: Context<AppEnv>) => {
      const headers = { "content-type": FIGURE_TEXT_TYPE, "cache-control": "no-store" };
      return c.body(serverMetricsText(await collect()), 200, headers);
    });
  }
  return routes;
}
