/** Metrics of executions and flows. */
import { type Context, Hono } from "hono";
import type { Clock, Instant } from "../../../base/time/clock.ts";
import { isId } from "../../../base/id.ts";
import { Double, type JsonObject, stringifyJson } from "../../../base/json.ts";
import { type Aggregation, AGGREGATIONS } from "../../../services/metrics/metric_aggregates.ts";
import type { Metrics } from "../../../services/metrics/metrics.ts";
import type { AppEnv } from "../../env.ts";
import { flowKeyOf } from "../../forms/flow_request.ts";
import { pageResponse, valueResponse } from "../../responses/json_response.ts";
import { parseQueryInstant, queryOf, readPaging } from "../../forms/params.ts";
import { takePage } from "../../responses/list_page.ts";
import { badRequest, invalidArgument } from "../../refusals.ts";

interface MetricRoutesDeps {
  readonly metrics: Metrics;
  readonly clock: Clock;
}

const SORT_FIELDS = new Map(
  ["name", "type", "value", "timestamp", "taskId", "taskRunId"].map((name) => [name, (entry: JsonObject) => {
    const value = entry[name];
    return value instanceof Double ? value.value : String(value);
  }]),
);
/** Window of an aggregate without dates. */
const DEFAULT_WINDOW_MS = 30 * 86_400_000;
/** Longest window of an aggregate: ten years. */
const MAX_WINDOW_MS = 3_660 * 86_400_000;

/** Routes under `/metrics`, relative to the tenant. */
export function metricRoutes({ metrics, clock }: MetricRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  const names = async (c: Context<AppEnv>) =>
    c.json(await metrics.names(c.get("actor"), flowKeyOf(c), c.req.param("taskId")));
  routes.get("/metrics/names/:namespace/:flowId", names);
  routes.get("/metrics/names/:namespace/:flowId/:taskId", names);

  routes.get("/metrics/tasks/:namespace/:flowId", async (c) => {
    return c.json(await metrics.tasks(c.get("actor"), flowKeyOf(c)));
  });

  const aggregate = async (c: Context<AppEnv>) => {
    const window = readWindow(queryOf(c), clock.now());
    const response = await metrics.aggregate(c.get("actor"), flowKeyOf(c), {
      ...window,
      aggregation: readAggregation(queryOf(c)),
      taskId: c.req.param("taskId"),
      metric: c.req.param("metric") ?? "",
    });
    return valueResponse(response);
  };
  routes.get("/metrics/aggregates/:namespace/:flowId/:metric", aggregate);
  routes.get("/metrics/aggregates/:namespace/:flowId/:taskId/:metric", aggregate);

  routes.get("/metrics/:executionId", async (c) => {
    const query = queryOf(c);
    const paging = readPaging(query);
    const id = c.req.param("executionId");
    const filter = {
      taskId: query.get("taskId") || undefined,
      taskRunId: query.get("taskRunId") || undefined,
    };
    const found = isId(id) ? await metrics.ofExecution(c.get("actor"), id, filter) : [];
    const results = takePage(found, paging, SORT_FIELDS);
    return pageResponse(results.map((entry) => stringifyJson(entry)), found.length);
  });

  return routes;
}

function readAggregation(query: URLSearchParams): Aggregation {
  const text = query.get("aggregation") || "sum";
  const known = AGGREGATIONS.find((name) => name === text.toLowerCase());
  if (known) return known;
  throw badRequest(
    `"aggregation" must be one of ${AGGREGATIONS.join(", ")}, but received "${text.slice(0, 100)}"`,
  );
}

/** `startDate` and `endDate`; by default the 30 days before the end, and `now` as the end. @throws DomainError bad_request, invalid_argument */
function readWindow(
  query: URLSearchParams,
  now: Instant,
): { readonly start: Instant; readonly end: Instant } {
  const end = readDate(query, "endDate") ?? now;
  const start = readDate(query, "startDate") ?? end - DEFAULT_WINDOW_MS;
  if (start > end) {
    throw invalidArgument("Start date must be before End Date");
  }
  if (end - start <= MAX_WINDOW_MS) return { start, end };
  throw invalidArgument('"startDate" is more than ten years before "endDate"');
}

function readDate(query: URLSearchParams, name: string): Instant | undefined {
  const text = query.get(name)?.trim();
  if (!text) return undefined;
  const at = parseQueryInstant(text);
  if (at !== undefined) return at;
  throw badRequest(
    `"${name}" must be a date such as "2026-01-31T08:15:30Z", but received "${text.slice(0, 100)}"`,
  );
}
