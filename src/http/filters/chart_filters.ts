/** Reads requests for the data of charts: a window of time, filters of any list, a page. */
import type { Instant } from "../../base/time/clock.ts";
import { parseDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { MAX_PAGE_SIZE } from "../../model/limits.ts";
import type { ChartRequest, TimeWindow } from "../../services/charts/chart_request.ts";
import { EXECUTION_FILTER_NAMES, readExecutionFilters } from "./execution_filters.ts";
import { refuse, shorten } from "./filter_syntax.ts";
import { readDate, readRange } from "./filter_values.ts";
import { FLOW_FILTER_NAMES, readFlowFilter } from "./flow_filters.ts";
import { LOG_FILTER_NAMES, readLogConditions } from "./log_filters.ts";
import { filterQueryOf, readTriggerFilter, TRIGGER_FILTER_NAMES } from "./trigger_filters.ts";
import { readPositive } from "../forms/params.ts";
import { invalidArgument, invalidBody } from "../refusals.ts";

/** Filters that set the window. */
const DATES: readonly string[] = ["startDate", "endDate", "timeRange"];
const PAGE: readonly string[] = ["pageNumber", "pageSize", "page", "size"];
/** The field of charts that a filter stands for. */
const CHART_FIELDS: ReadonlyMap<string, string> = new Map([
  ["namespace", "NAMESPACE"],
  ["flowId", "FLOW_ID"],
  ["state", "STATE"],
  ["labels", "LABELS"],
  ["level", "LEVEL"],
  ["triggerId", "TRIGGER_ID"],
  ["taskId", "TASK_ID"],
  ["executionId", "EXECUTION_ID"],
]);
/** A parameter of a filter: `filters`, groups, field, operator and key. */
const PARAMETER = /^filters(?:\[or\]\[\d{1,3}\])*\[([^\[\]]*)\]\[([^\[\]]*)\]/i;
/** Members of a body that are filters without operator. */
const FLAT_MEMBERS = [...DATES, "namespace", "flowId", "q"];

/**
 * The request of a body `{filters, startDate, endDate, namespace, labels, pageNumber, pageSize}`, all optional.
 * @throws DomainError invalid_filter, invalid_body, invalid_argument
 */
export function chartRequestIn(body: JsonValue | undefined, now: Instant): ChartRequest {
  if (body === undefined || body === null) return readChartRequest(new URLSearchParams(), now);
  if (!isJsonObject(body)) {
    throw invalidBody("the body must be an object with filters, pageNumber and pageSize");
  }
  const query = filtersIn(body);
  for (const name of [...FLAT_MEMBERS, ...PAGE]) {
    const value = ownProperty(body, name) ?? undefined;
    if (value !== undefined) query.append(name, scalarText(value, name));
  }
  appendPairs(query, "filters[labels][EQUALS]", ownProperty(body, "labels") ?? {});
  return readChartRequest(query, now);
}

/** The request of a query: flat parameters and `filters[field][OPERATOR]`. @throws as {@link chartRequestIn} */
export function readChartRequest(query: URLSearchParams, now: Instant): ChartRequest {
  const names = new Set([...query.keys()].map(fieldOf));
  const only = (known: readonly string[]) => narrowed(query, (name) => known.includes(name));
  const known = [
    ...EXECUTION_FILTER_NAMES,
    ...LOG_FILTER_NAMES,
    ...FLOW_FILTER_NAMES,
    ...TRIGGER_FILTER_NAMES,
  ];
  for (const name of query.keys()) {
    const field = fieldOf(name);
    if (!name.startsWith("filters") || known.includes(field)) continue;
    refuse(`Invalid filter: "${shorten(name)}" names no field of executions, log lines, flows or triggers`);
  }
  // A later end would make a range of the longest allowed length too long.
  const { start, end = now } = readWindow(query, now);
  return {
    start,
    end,
    page: readPage(query),
    filters: {
      fields: new Set([...names].flatMap((name) => CHART_FIELDS.get(name) ?? [])),
      executions: readExecutionFilters(only(EXECUTION_FILTER_NAMES), now),
      logs: readLogConditions(only(LOG_FILTER_NAMES), now),
      matchesFlow: readFlowFilter(only(FLOW_FILTER_NAMES)),
      matchesTrigger: readTriggerFilter(only(TRIGGER_FILTER_NAMES)),
    },
  };
}

/** The window of `startDate`, `endDate` and `timeRange`, flat or as filters; dates may be durations before `now`. @throws DomainError invalid_filter, invalid_argument */
export function readWindow(query: URLSearchParams, now: Instant): Partial<TimeWindow> {
  let [start, end]: (Instant | undefined)[] = [];
  for (const [name, value] of query) {
    const field = fieldOf(name);
    if ((field !== "startDate" && field !== "endDate") || value.trim() === "") continue;
    const at = dateOf(field, value, now);
    if (isEnd(field, PARAMETER.exec(name)?.[2])) end = Math.min(end ?? Infinity, at);
    else start = Math.max(start ?? -Infinity, at);
  }
  const range = [...query].find(([name, value]) => fieldOf(name) === "timeRange" && value.trim() !== "");
  if (range && start === undefined) start = (end ?? now) - readRange(range[1]);
  if (start !== undefined && start > (end ?? now)) {
    throw invalidArgument("Start date must be before End Date");
  }
  return { start, end };
}

function isEnd(field: string, operator: string | undefined): boolean {
  if (operator?.startsWith("LESS_THAN")) return true;
  return field === "endDate" && !operator?.startsWith("GREATER_THAN");
}

function dateOf(field: string, text: string, now: Instant): Instant {
  const agoMs = parseDuration(text.trim());
  return agoMs === undefined ? readDate(field, text) : now - Math.abs(agoMs);
}

function readPage(query: URLSearchParams): ChartRequest["page"] {
  const name = (long: string, short: string) => query.has(long) ? long : short;
  const [page, size] = [name("pageNumber", "page"), name("pageSize", "size")];
  if (!query.has(size)) return undefined;
  return {
    page: readPositive(query, page, 1, Number.MAX_SAFE_INTEGER),
    size: readPositive(query, size, MAX_PAGE_SIZE, MAX_PAGE_SIZE),
  };
}

/** The filters of a list; a map as value, as labels have it, is a filter for each of its members. */
function filtersIn(body: JsonObject): URLSearchParams {
  const written = ownProperty(body, "filters") ?? [];
  const isNone = isJsonObject(written) && Object.keys(written).length === 0;
  const filters = isNone ? [] : written;
  if (!Array.isArray(filters)) return filterQueryOf({ filters });
  const query = filterQueryOf({ filters: filters.filter((filter) => !hasMap(filter)) });
  for (const filter of filters) {
    if (!hasMap(filter)) continue;
    const [name = ""] = filterQueryOf({ filters: [{ ...filter, value: "" }] }).keys();
    appendPairs(query, name, filter.value ?? {});
  }
  return query;
}

function hasMap(filter: JsonValue): filter is JsonObject {
  return isJsonObject(filter) && isJsonObject(filter.value);
}

function appendPairs(query: URLSearchParams, name: string, pairs: JsonValue): void {
  if (!isJsonObject(pairs)) throw invalidArgument("labels must be an object of texts");
  for (const [key, value] of Object.entries(pairs)) query.append(`${name}[${key}]`, scalarText(value, key));
}

function scalarText(value: JsonValue, name: string): string {
  if (typeof value !== "object" || value === null) return String(value);
  throw invalidArgument(`"${shorten(name)}" must be a text or a number`);
}

/** The field that a parameter filters; a flat one has its name. */
function fieldOf(name: string): string {
  return PARAMETER.exec(name)?.[1] ?? name;
}

/** The filters of some fields, without those of dates. */
function narrowed(query: URLSearchParams, isWanted: (name: string) => boolean): URLSearchParams {
  return new URLSearchParams(
    [...query].filter(([name]) => isWanted(fieldOf(name)) && !DATES.includes(fieldOf(name))),
  );
}
