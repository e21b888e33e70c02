/** The data of charts: of saved dashboards, of charts that a client edits, as CSV. */
import { type Context, Hono } from "hono";
import type { Clock } from "../../../base/time/clock.ts";
import { isJsonObject, type JsonValue, ownProperty, stringifyJson } from "../../../base/json.ts";
import { MAX_FILTER_BODY_BYTES } from "../../../model/limits.ts";
import type { Chart } from "../../../services/charts/chart.ts";
import type { ChartRequest } from "../../../services/charts/chart_request.ts";
import type { Charts } from "../../../services/charts/charts.ts";
import type { Dashboards } from "../../../services/charts/dashboards.ts";
import type { ChartData } from "../../../services/charts/execution_chart.ts";
import { readJson, readOptionalJson, requireMediaType } from "../../bodies/body.ts";
import { chartRequestIn, readChartRequest } from "../../filters/chart_filters.ts";
import type { AppEnv } from "../../env.ts";
import { queryOf } from "../../forms/params.ts";
import { invalidBody } from "../../refusals.ts";
import { csvResponse } from "../../responses/csv.ts";
import { valueResponse } from "../../responses/json_response.ts";

interface ChartRoutesDeps {
  readonly dashboards: Dashboards;
  readonly charts: Charts;
  readonly clock: Clock;
}

const NO_DATA: ChartData = { results: [], total: 0, isExact: true };

/** Routes under `/dashboards`, relative to the tenant. */
export function chartRoutes(deps: ChartRoutesDeps): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  addPreviews(routes, deps);
  addSaved(routes, deps);
  return routes;
}

function addPreviews(routes: Hono<AppEnv>, { dashboards, charts, clock }: ChartRoutesDeps): void {
  const read = async (c: Context<AppEnv>) => {
    requireMediaType(c, "application/json");
    const body = await readJson(c, MAX_FILTER_BODY_BYTES);
    const chart = dashboards.readChart(chartSourceIn(body));
    const filter = isJsonObject(body) ? ownProperty(body, "globalFilter") : undefined;
    const request = { ...chartRequestIn(filter, clock.now()), signal: c.req.raw.signal };
    return { chart, data: await charts.data(c.get("actor"), chart, request) };
  };

  routes.post("/dashboards/charts/preview", async (c) => dataResponse((await read(c)).data));
  routes.post("/dashboards/charts/export/to-csv", async (c) => {
    const { chart, data } = await read(c);
    return csvOf(c, data, `default-dashboard_${chart.id}`);
  });
}

function addSaved(routes: Hono<AppEnv>, deps: ChartRoutesDeps): void {
  const path = "/dashboards/:id/charts/:chartId";
  const { clock } = deps;
  const ofBody = async (c: Context<AppEnv>) => {
    requireMediaType(c, "application/json");
    return chartRequestIn(await readOptionalJson(c, MAX_FILTER_BODY_BYTES), clock.now());
  };
  const ofQuery = (c: Context<AppEnv>) => readChartRequest(queryOf(c), clock.now());

  routes.get(path, async (c) => dataResponse((await savedData(c, deps, ofQuery(c))).data));
  routes.post(path, async (c) => dataResponse((await savedData(c, deps, await ofBody(c))).data));
  routes.get(`${path}/export/to-csv`, async (c) => savedCsv(c, await savedData(c, deps, ofQuery(c))));
  routes.post(`${path}/export/to-csv`, async (c) => savedCsv(c, await savedData(c, deps, await ofBody(c))));
}

interface SavedData {
  /** Absent for an unknown chart, which has no data. */
  readonly chart?: Chart;
  readonly data: ChartData;
}

async function savedData(
  c: Context<AppEnv>,
  { dashboards, charts }: ChartRoutesDeps,
  request: ChartRequest,
): Promise<SavedData> {
  const { id = "", chartId = "" } = c.req.param() as { id?: string; chartId?: string };
  const found = await dashboards.findChart(c.get("actor"), id, chartId);
  if (!found) return { data: NO_DATA };
  const { chart, plan } = found;
  const { signal } = c.req.raw;
  return { chart, data: await charts.data(c.get("actor"), chart, { ...request, signal }, plan) };
}

function savedCsv(c: Context<AppEnv>, { chart, data }: SavedData): Promise<Response> {
  return csvOf(c, data, chart ? `${c.req.param("id")}_${chart.id}` : "chart");
}

/** `name` has only characters of ids. */
function csvOf(c: Context<AppEnv>, { results }: ChartData, name: string): Promise<Response> {
  return csvResponse(c, [results], `${name}_export.csv`);
}

/** `isTotalExact: false` says that not all of the data was read. */
function dataResponse({ results, total, isExact }: ChartData): Response {
  return valueResponse({ results, total, ...(!isExact && { isTotalExact: false }) });
}

/** The chart of a preview: YAML, or an object. @throws DomainError invalid_body */
function chartSourceIn(body: JsonValue): string {
  const chart = isJsonObject(body) ? ownProperty(body, "chart") : undefined;
  if (typeof chart === "string" && chart.trim() !== "") return chart;
  if (isJsonObject(chart)) return stringifyJson(chart);
  throw invalidBody('the body must have the source of a chart as "chart"');
}
