/** Charts of dashboards: which data they show, in which columns. */
import type { FlowKey } from "../../model/flows/flow.ts";

/** The kinds of charts, as the last part of their types. */
export const CHART_KINDS = ["TimeSeries", "Bar", "Pie", "Table", "KPI", "Markdown"] as const;
/** One of {@link CHART_KINDS}. */
export type ChartKind = typeof CHART_KINDS[number];

/** What a chart can show, as the last part of the types of data; for a KPI with `KPI` behind it. */
export const DATA_KINDS = ["Executions", "Logs", "Metrics", "Flows", "Triggers"] as const;
/** One of {@link DATA_KINDS}. */
export type DataKind = typeof DATA_KINDS[number];

/** Types of charts and of data, without a prefix of types. */
export const CHART_TYPE_PREFIX = "core.dashboard.chart.";
/** See {@link CHART_TYPE_PREFIX}. */
export const DATA_TYPE_PREFIX = "core.dashboard.data.";

/** What the values of a field are. Dates and durations are milliseconds, in responses ISO texts and seconds. */
export type FieldForm = "text" | "number" | "duration" | "date" | "label";

/** A value; `undefined` for an empty cell. */
export type ChartValue = string | number | undefined;

/** The fields of each kind of data. */
export const FIELDS: Readonly<Record<DataKind, ReadonlyMap<string, FieldForm>>> = {
  Executions: new Map<string, FieldForm>([
    ["ID", "text"],
    ["NAMESPACE", "text"],
    ["FLOW_ID", "text"],
    ["FLOW_REVISION", "number"],
    ["STATE", "text"],
    ["DURATION", "duration"],
    ["LABELS", "label"],
    ["START_DATE", "date"],
    ["END_DATE", "date"],
    ["TRIGGER_EXECUTION_ID", "text"],
  ]),
  Logs: new Map<string, FieldForm>([
    ["ID", "text"],
    ["NAMESPACE", "text"],
    ["FLOW_ID", "text"],
    ["EXECUTION_ID", "text"],
    ["TASK_ID", "text"],
    ["TASK_RUN_ID", "text"],
    ["ATTEMPT_NUMBER", "number"],
    ["TRIGGER_ID", "text"],
    ["LEVEL", "text"],
    ["MESSAGE", "text"],
    ["DATE", "date"],
  ]),
  Metrics: new Map<string, FieldForm>([
    ["NAMESPACE", "text"],
    ["FLOW_ID", "text"],
    ["EXECUTION_ID", "text"],
    ["TASK_ID", "text"],
    ["TASK_RUN_ID", "text"],
    ["TYPE", "text"],
    ["NAME", "text"],
    ["VALUE", "number"],
    ["DATE", "date"],
  ]),
  Flows: new Map<string, FieldForm>([["ID", "text"], ["NAMESPACE", "text"], ["REVISION", "number"]]),
  Triggers: new Map<string, FieldForm>([
    ["ID", "text"],
    ["NAMESPACE", "text"],
    ["FLOW_ID", "text"],
    ["TRIGGER_ID", "text"],
    ["EXECUTION_ID", "text"],
    ["NEXT_EXECUTION_DATE", "date"],
    ["WORKER_ID", "text"],
  ]),
};

/** Aggregations; COUNT counts values, without a field rows. P50 is the median, P95 exceeds 95 % of the values. */
export const AGGREGATIONS = ["COUNT", "SUM", "AVG", "MIN", "MAX", "P50", "P95"] as const;
/** One of {@link AGGREGATIONS}. */
export type Aggregation = typeof AGGREGATIONS[number];

/** The share of the values that an aggregation exceeds, for quantiles. */
export const QUANTILES: ReadonlyMap<Aggregation | undefined, number> = new Map([["P50", 0.5], ["P95", 0.95]]);

/** A field, and which label it is of labels. */
export interface FieldName {
  readonly field: string;
  readonly labelKey?: string;
}

/** A column: a field, or an aggregation. Columns without an aggregation are what rows are grouped by, if there is one. */
export interface ChartColumn extends Partial<FieldName> {
  /** The member of result rows. */
  readonly name: string;
  readonly form: FieldForm;
  readonly agg?: Aggregation;
}

/** Types of filters. */
export const FILTER_TYPES = [
  "EQUAL_TO",
  "NOT_EQUAL_TO",
  "IN",
  "NOT_IN",
  "GREATER_THAN",
  "GREATER_THAN_OR_EQUAL_TO",
  "LESS_THAN",
  "LESS_THAN_OR_EQUAL_TO",
  "CONTAINS",
  "NOT_CONTAINS",
  "STARTS_WITH",
  "ENDS_WITH",
  "PREFIX",
  "REGEX",
  "IS_NULL",
  "IS_NOT_NULL",
] as const;
/** One of {@link FILTER_TYPES}. */
export type FilterType = typeof FILTER_TYPES[number];

/** Compares a field. `values` has one value, several for IN and NOT_IN, none for IS_NULL and IS_NOT_NULL. */
export interface FieldFilter extends FieldName {
  readonly type: FilterType;
  readonly form: FieldForm;
  readonly values: readonly (string | number)[];
}

/** A filter; of an OR one of several must match. */
export type ChartFilter = FieldFilter | { readonly type: "OR"; readonly anyOf: readonly ChartFilter[] };

/** One criterion of an order. */
export interface ChartOrder {
  /** The name of a column. */
  readonly column: string;
  readonly descending: boolean;
}

/** The data of a chart. */
export interface ChartQuery {
  readonly kind: DataKind;
  readonly columns: readonly ChartColumn[];
  /** All must match. */
  readonly where: readonly ChartFilter[];
  readonly orderBy: readonly ChartOrder[];
}

/** A chart. */
export type Chart =
  | { readonly kind: "TimeSeries" | "Bar" | "Pie" | "Table"; readonly id: string; readonly query: ChartQuery }
  | {
    readonly kind: "KPI";
    readonly id: string;
    /** With one column. */
    readonly query: ChartQuery;
    /** Further filters; with `isPercentage` the value is the share of what matches them, too. */
    readonly numerator: readonly ChartFilter[];
    readonly isPercentage: boolean;
  }
  | {
    readonly kind: "Markdown";
    readonly id: string; /** Whose description is shown. */
    readonly flow?: FlowKey;
  };
