/** The lists behind what a chart shows. */
import { parseDuration } from "../../../../base/time/duration.ts";
import { ownProperty } from "../../../../base/json.ts";
import { STATES } from "../../../../model/executions/state.ts";
import { urlQuery } from "../../api/client.ts";
import { pagePath } from "../../core/places.ts";
import { NAMESPACE_IS, STARTED_BEFORE, STARTED_FROM } from "../executions/execution_filters.ts";
import { RANGES } from "../dashboard/range_choice.tsx";
import type { Row, Scope } from "./dashboard_api.ts";
import type { Chart, ChartFilter, DataKind } from "./definition.ts";

/** Parameters of a list. */
type Parameters = Map<string, readonly string[]>;

/** A part of the time, as ISO texts; without an end it is not over. */
interface TimePart {
  readonly start: string;
  readonly end?: string;
}

/** The address of what a row stands for; `undefined` where no list shows exactly that. */
export function rowHref(chart: Chart, row: Row, scope: Scope, part?: TimePart): string | undefined {
  return pageHref(chart, row) ?? listHref(chart, { row, scope, part });
}

/** The address of all that a chart counts. */
export function chartHref(chart: Chart, scope: Scope): string | undefined {
  return listHref(chart, { row: {}, scope });
}

/** The page of the execution, flow or trigger that a row lists. */
function pageHref({ columns, data }: Chart, row: Row): string | undefined {
  if (columns.some(({ agg }) => agg !== undefined)) return undefined;
  const valueOf = (field: string) => {
    const column = columns.find((each) => each.field === field);
    const value = column && ownProperty(row, column.name);
    return typeof value === "string" ? value : undefined;
  };
  const [id, namespace, flow] = [valueOf("ID"), valueOf("NAMESPACE"), valueOf("FLOW_ID")];
  switch (data) {
    case "Executions":
      return id && pagePath("executions", id);
    case "Flows":
      return id && namespace && pagePath("flows", "edit", namespace, id);
    case "Triggers":
      return flow && namespace && pagePath("flows", "edit", namespace, flow, "triggers");
    default: {
      const execution = valueOf("EXECUTION_ID");
      return execution && pagePath("executions", execution);
    }
  }
}

interface Counted {
  readonly row: Row;
  readonly scope: Scope;
  readonly part?: TimePart;
}

function listHref(chart: Chart, { row, scope, part }: Counted): string | undefined {
  const { data } = chart;
  if (data !== "Executions" && data !== "Logs") return undefined;
  const parameters: Parameters = new Map();
  if (scope.namespace !== "") parameters.set("namespace", [scope.namespace]);
  // A filter of the page takes the place of those of the chart.
  const filters = chart.filters.filter(({ field }) => scope.namespace === "" || field !== "NAMESPACE");
  const values = chart.columns.flatMap(({ name, field, labelKey, agg }): ChartFilter[] => {
    const value = ownProperty(row, name) ?? null;
    const isTime = part !== undefined && (field === "START_DATE" || field === "DATE");
    const isCompared = agg === undefined && Object.hasOwn(row, name) && !isTime;
    return isCompared ? [{ type: "EQUAL_TO", field, labelKey, values: [value] }] : [];
  });
  const areSet = [...filters, ...values].every((filter) => setParameter(parameters, data, filter));
  if (!areSet) return undefined;
  for (const [name, value] of timeParameters(data, scope, part)) parameters.set(name, [value]);
  return pagePath(data === "Executions" ? "executions" : "logs") + urlQuery(Object.fromEntries(parameters));
}

/** Sets the parameter of a filter; false if lists have no such parameter. */
function setParameter(parameters: Parameters, data: DataKind, filter: ChartFilter): boolean {
  const texts = filter.values.map(String);
  const [text = ""] = texts;
  const isOne = filter.type === "EQUAL_TO" && filter.values[0] !== null;
  switch (filter.field) {
    case "STATE": {
      const states = statesOf(filter.type, texts);
      if (states) parameters.set("state", states);
      return states !== undefined;
    }
    case "NAMESPACE":
      return setNamespace(parameters, data, { type: filter.type, text });
    case "FLOW_ID":
      parameters.set("flowId", [text]);
      return isOne;
    case "LABELS":
      parameters.set("labels", [...parameters.get("labels") ?? [], `${filter.labelKey}:${text}`]);
      return isOne;
    case "LEVEL":
      parameters.set("minLevel", [text]);
      return isOne;
    case "EXECUTION_ID":
      parameters.set("executionId", [text]);
      return isOne;
    default:
      return false;
  }
}

function setNamespace(
  parameters: Parameters,
  data: DataKind,
  { type, text }: { readonly type: string; readonly text: string },
): boolean {
  if (type !== "EQUAL_TO" && type !== "PREFIX") return false;
  parameters.delete("namespace");
  parameters.set(data === "Executions" && type === "EQUAL_TO" ? NAMESPACE_IS : "namespace", [text]);
  return true;
}

function statesOf(type: string, states: readonly string[]): readonly string[] | undefined {
  if (type === "EQUAL_TO" || type === "IN") return states;
  return type === "NOT_EQUAL_TO" || type === "NOT_IN"
    ? STATES.filter((each) => !states.includes(each))
    : undefined;
}

function timeParameters(
  data: DataKind,
  { range }: Scope,
  part: TimePart | undefined,
): (readonly [name: string, value: string])[] {
  const [from, before] = data === "Executions" ? [STARTED_FROM, STARTED_BEFORE] : ["startDate", "endDate"];
  if (part) return [[from, part.start], ...part.end === undefined ? [] : [[before, part.end] as const]];
  if (RANGES.some((each) => each === range)) return [["timeRange", range]];
  return [[from, new Date(Date.now() - (parseDuration(range) ?? 0)).toISOString()]];
}
