/** Requests of dashboards and charts. */
import type { JsonObject } from "../../../../base/json.ts";
import { get, type Page, send, urlOf } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";
import type { Problem } from "../editor/problem.ts";
import type { Chart } from "./definition.ts";

/** A row of a chart; user-written names of columns are its members. */
export type Row = JsonObject;

/** What is shown of the data: a time range, and the namespaces that begin with a name. */
export interface Scope {
  /** As the API names it. */
  readonly range: string;
  readonly namespace: string;
}

/** The rows of a chart. */
export interface ChartData extends Page<Row> {
  /** False if not all of the data was read. */
  readonly isTotalExact?: false;
}

/** A page of rows, from 1. */
interface ChartPage {
  readonly pageNumber: number;
  readonly pageSize: number;
}

/** Loads the data of a chart. */
export type LoadChart = (
  chart: Chart,
  scope: Scope,
  options: { readonly page?: ChartPage; readonly signal: AbortSignal },
) => Promise<ChartData>;

/** A dashboard as it is stored: its definition with these members. */
export type StoredDashboard = JsonObject & {
  readonly id: string;
  readonly sourceCode: string;
  /** ISO text. */
  readonly created: string;
  readonly updated: string;
};

const YAML = { "content-type": "application/x-yaml" };

/** A dashboard. @throws ApiError 404 */
export function readStored(id: string, signal?: AbortSignal): Promise<StoredDashboard> {
  return get<StoredDashboard>(apiPath("dashboards", id), {}, signal);
}

/** Creates a dashboard, or replaces the one with an id. @throws ApiError */
export function storeDashboard(source: string, id?: string): Promise<StoredDashboard> {
  const [method, path] = id === undefined ? ["POST", "/dashboards"] : ["PUT", apiPath("dashboards", id)];
  return send<StoredDashboard>(method, path, { body: source, headers: YAML });
}

/** Deletes a dashboard. @throws ApiError */
export async function deleteDashboard(id: string): Promise<void> {
  await send("DELETE", apiPath("dashboards", id));
}

/** What is wrong with a source, and what it declares; no definition if its syntax is wrong. @throws ApiError */
export function checkSource(
  source: string,
): Promise<{ readonly problems: readonly Problem[]; readonly definition?: JsonObject }> {
  return send("POST", "/dashboards/validate", { body: source, headers: YAML });
}

/** The data of charts of a stored dashboard. */
export function storedCharts(id: string): LoadChart {
  return (chart, scope, { page, signal }) =>
    get<ChartData>(apiPath("dashboards", id, "charts", chart.id), { ...queryOf(scope), ...page }, signal);
}

/** The data of a chart that is being written. */
export const previewChart: LoadChart = (chart, scope, { page, signal }) => {
  const body = { chart: chart.definition, globalFilter: { ...queryOf(scope), ...page } };
  return send<ChartData>("POST", "/dashboards/charts/preview", { body, signal });
};

/** The address of the rows of a chart as CSV. */
export function csvUrl(id: string, chart: Chart, scope: Scope): string {
  return urlOf(`${apiPath("dashboards", id, "charts", chart.id)}/export/to-csv`, queryOf(scope));
}

function queryOf({ range, namespace }: Scope): Record<string, string> {
  return { timeRange: range, ...namespace !== "" && { namespace } };
}
