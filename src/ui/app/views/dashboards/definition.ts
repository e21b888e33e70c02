/** Dashboards as their sources declare them. A source that is being written may hold anything: only what fits is taken. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  ownProperty,
} from "../../../../base/json.ts";
import { parseDuration } from "../../../../base/time/duration.ts";

const KINDS = ["TimeSeries", "Bar", "Pie", "Table", "KPI", "Markdown"] as const;
const DATA_KINDS = ["Executions", "Logs", "Metrics", "Flows", "Triggers"] as const;

/** What is counted or listed. */
export type DataKind = typeof DATA_KINDS[number];

/** A column of the rows of a chart. */
export interface Column {
  /** The member of rows. */
  readonly name: string;
  readonly title: string;
  readonly field?: string;
  readonly labelKey?: string;
  /** Absent: rows are grouped by it, or list it. */
  readonly agg?: string;
  readonly isLine: boolean;
}

/** A filter of a chart. */
export interface ChartFilter {
  readonly type: string;
  readonly field?: string;
  readonly labelKey?: string;
  readonly values: readonly JsonValue[];
}

/** A chart. */
export interface Chart {
  readonly id: string;
  readonly kind: typeof KINDS[number];
  readonly data?: DataKind;
  readonly title: string;
  readonly description?: string;
  /** Of twelve columns. */
  readonly width: number;
  readonly columns: readonly Column[];
  readonly filters: readonly ChartFilter[];
  /** Name of the column of the horizontal axis. */
  readonly axis?: string;
  /** Name of the column that gives the colours. */
  readonly colour?: string;
  readonly isDonut: boolean;
  readonly isPercentage: boolean;
  readonly isOrdered: boolean;
  /** The text of a chart that has its own. */
  readonly content?: string;
  /** As it is written. */
  readonly definition: JsonObject;
}

/** A dashboard. */
export interface Dashboard {
  readonly title: string;
  readonly description?: string;
  /** The time range of an address without one, as the API names it. */
  readonly range: string;
  /** The longest range, in milliseconds. */
  readonly maxMs: number;
  /** `undefined` at the place of a chart that cannot be read. */
  readonly charts: readonly (Chart | undefined)[];
}

const DEFAULT_RANGE = "P30D";
const MAX_RANGE = "P366D";
const DEFAULT_WIDTH: Readonly<Partial<Record<Chart["kind"], number>>> = { KPI: 3, Table: 12 };

/** The dashboard of a response. */
export function readDashboard(definition: JsonObject): Dashboard {
  const window = objectIn(definition, "timeWindow");
  const charts = ownProperty(definition, "charts");
  return {
    title: textIn(definition, "title") ?? "",
    description: textIn(definition, "description"),
    range: textIn(window, "default") ?? DEFAULT_RANGE,
    maxMs: parseDuration(textIn(window, "max") ?? MAX_RANGE) ?? Infinity,
    charts: Array.isArray(charts)
      ? charts.map((chart) => isJsonObject(chart) ? readChart(chart) : undefined)
      : [],
  };
}

function readChart(definition: JsonObject): Chart | undefined {
  const kind = KINDS.find((each) => textIn(definition, "type")?.endsWith(`.${each}`));
  if (!kind) return undefined;
  const id = textIn(definition, "id") ?? "";
  const options = objectIn(definition, "chartOptions");
  const data = objectIn(definition, "data");
  const width = ownProperty(options, "width");
  return {
    id,
    kind,
    data: DATA_KINDS.find((each) => textIn(data, "type")?.replace(/KPI$/, "").endsWith(`.${each}`)),
    title: textIn(options, "displayName") ?? id,
    description: textIn(options, "description"),
    width: typeof width === "number" ? width : DEFAULT_WIDTH[kind] ?? 6,
    columns: columnsIn(kind, objectIn(data, "columns")),
    filters: ["where", "numerator"].flatMap((name) => objectsOf(ownProperty(data, name)).map(filterOf)),
    axis: textIn(options, "column"),
    colour: textIn(options, "colorByColumn"),
    isDonut: textIn(options, "graphStyle") === "DONUT",
    isPercentage: textIn(options, "numberType") === "PERCENTAGE",
    isOrdered: objectsOf(ownProperty(data, "orderBy")).length > 0,
    content: textIn(definition, "content") ?? textIn(objectIn(definition, "source"), "content"),
    definition,
  };
}

/** A KPI has one column without a name. */
function columnsIn(kind: Chart["kind"], columns: JsonObject): Column[] {
  if (kind === "KPI") return [columnOf("value", columns)];
  return Object.keys(columns).map((name) => columnOf(name, objectIn(columns, name)));
}

function columnOf(name: string, column: JsonObject): Column {
  return {
    name,
    title: textIn(column, "displayName") ?? name,
    field: textIn(column, "field"),
    labelKey: textIn(column, "labelKey"),
    agg: textIn(column, "agg"),
    isLine: textIn(column, "graphStyle") === "LINES",
  };
}

function filterOf(filter: JsonObject): ChartFilter {
  const values = ownProperty(filter, "values");
  return {
    type: textIn(filter, "type") ?? "",
    field: textIn(filter, "field"),
    labelKey: textIn(filter, "labelKey"),
    values: Array.isArray(values) ? values : [ownProperty(filter, "value") ?? null],
  };
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = ownProperty(object, name);
  return isJsonObject(value) ? value : {};
}

function textIn(object: JsonObject, name: string): string | undefined {
  const value = ownProperty(object, name);
  return typeof value === "string" ? value : undefined;
}
