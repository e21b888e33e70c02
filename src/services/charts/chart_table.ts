/** Result rows of a chart: groups of values with their aggregations, or the values themselves; ordered, in pages. */
import { toIso } from "../../base/time/clock.ts";
import { Double, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { partStart, type TimeUnit } from "../../base/time/time_parts.ts";
import { DomainError } from "../../model/errors.ts";
import type { NumberSummary } from "../../model/executions/execution_groups.ts";
import { NumberSketch } from "../../base/number_sketch.ts";
import {
  type ChartColumn,
  type ChartOrder,
  type ChartQuery,
  type ChartValue,
  type FieldForm,
  QUANTILES,
} from "./chart.ts";
import type { RowReader } from "./row_filter.ts";

/** Values of a result row, in the order of the columns. */
export type ChartRow = readonly ChartValue[];

/** A page of result rows. */
export interface ChartPage {
  readonly results: JsonObject[];
  /** Number of rows of all pages. */
  readonly total: number;
}

/** Which of the rows. */
export interface PageChoice {
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/** Rows that a chart without aggregations, or its groups, may have in memory. */
const MAX_ROWS = 50_000;

/** True if rows are grouped. */
export function isAggregated({ columns }: Pick<ChartQuery, "columns">): boolean {
  return columns.some(({ agg }) => agg !== undefined);
}

/** Collects rows of any source. Dates that rows are grouped by become the starts of their parts of time. */
export class ChartTable {
  readonly #columns: readonly ChartColumn[];
  readonly #unit: TimeUnit;
  readonly #isAggregated: boolean;
  readonly #groups = new Map<string, Group>();
  readonly #rows: ChartRow[] = [];

  constructor({ columns }: Pick<ChartQuery, "columns">, unit: TimeUnit) {
    this.#columns = columns;
    this.#unit = unit;
    this.#isAggregated = isAggregated({ columns });
  }

  /** Adds a row. @throws DomainError invalid_argument: there are too many rows or groups */
  add(row: RowReader): void {
    if (this.#isAggregated) this.#addToGroup(row);
    else {
      if (this.#rows.length >= MAX_ROWS) throw tooMany("rows");
      this.#rows.push(this.#columns.map(({ field, labelKey }) => field && row(field, labelKey)));
    }
  }

  /** The rows so far. */
  rows(): readonly ChartRow[] {
    if (!this.#isAggregated) return this.#rows;
    return [...this.#groups.values()].map(({ values, summaries }) =>
      this.#columns.map(({ agg }, index) => agg ? aggregate(agg, summaries[index] as Summary) : values[index])
    );
  }

  #addToGroup(row: RowReader): void {
    const values = this.#columns.map(({ agg, field, labelKey, form }) => {
      const value = field && row(field, labelKey);
      const isPart = !agg && form === "date" && typeof value === "number";
      return isPart ? partStart(value, this.#unit) : value;
    });
    const key = JSON.stringify(values.filter((_, index) => !this.#columns[index]?.agg));
    let group = this.#groups.get(key);
    if (!group) {
      if (this.#groups.size >= MAX_ROWS) throw tooMany("groups");
      this.#groups.set(key, group = { values, summaries: this.#columns.map(({ agg }) => new Summary(agg)) });
    }
    const { summaries } = group;
    this.#columns.forEach(({ agg, field }, index) => {
      if (agg) summaries[index]?.add(field === undefined ? 1 : values[index]);
    });
  }
}

interface Group {
  readonly values: ChartRow;
  readonly summaries: readonly Summary[];
}

function tooMany(what: string): DomainError {
  return new DomainError(
    "invalid_argument",
    `The chart has more than ${MAX_ROWS} ${what}: choose fewer columns, a shorter time window or a filter`,
  );
}

/** Sums up values of one column; texts are counted only. */
class Summary implements NumberSummary {
  count = 0;
  sum = 0;
  min = Infinity;
  max = -Infinity;
  readonly #sketch: NumberSketch | undefined;

  constructor(agg: ChartColumn["agg"]) {
    this.#sketch = QUANTILES.has(agg) ? new NumberSketch() : undefined;
  }

  quantile(share: number): number | undefined {
    return this.#sketch?.quantile(share);
  }

  add(value: ChartValue): void {
    if (value === undefined) return;
    this.count++;
    if (typeof value !== "number") return;
    this.sum += value;
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
    this.#sketch?.add(value);
  }
}

/** An aggregation of numbers; without numbers only COUNT has a value. */
export function aggregate(agg: NonNullable<ChartColumn["agg"]>, numbers: NumberSummary): ChartValue {
  const { count, sum, min, max } = numbers;
  if (agg === "COUNT") return count;
  if (count === 0) return undefined;
  if (agg === "P50" || agg === "P95") return quantileOf(agg, numbers);
  return { SUM: sum, AVG: sum / count, MIN: min, MAX: max }[agg];
}

/** A bucket stands for its middle, which may be outside of the numbers. */
function quantileOf(agg: "P50" | "P95", numbers: NumberSummary): ChartValue {
  const found = numbers.quantile?.(QUANTILES.get(agg) ?? 1);
  return found === undefined ? undefined : Math.min(Math.max(found, numbers.min), numbers.max);
}

/** A page of the rows in the wanted order; without one by the columns that they are grouped by, else as they come. */
export function pageOf(query: ChartQuery, rows: readonly ChartRow[], choice?: PageChoice): ChartPage {
  const { columns } = query;
  const sorted = orderOf(query).length === 0 ? rows : rows.toSorted(comparison(query));
  const { page = 1, size = sorted.length } = choice ?? {};
  const results = sorted.slice((page - 1) * size, page * size).map((row) => rowBody(columns, row));
  return { results, total: rows.length };
}

/** The row as JSON, with `null` for missing values. */
export function rowBody(columns: readonly ChartColumn[], row: ChartRow): JsonObject {
  const body: JsonObject = {};
  columns.forEach((column, index) => setOwnProperty(body, column.name, valueBody(column, row[index])));
  return body;
}

function valueBody({ form, agg }: ChartColumn, value: ChartValue): JsonValue {
  if (value === undefined) return null;
  if (typeof value === "string" || agg === "COUNT") return value;
  if (agg === "AVG" && form === "number") return new Double(value);
  return BODIES[form](value);
}

const BODIES: Readonly<Record<FieldForm, (value: number) => JsonValue>> = {
  date: toIso,
  duration: (ms) => new Double(ms / 1000),
  number: (value) => Number.isInteger(value) ? value : new Double(value),
  text: String,
  label: String,
};

function orderOf({ orderBy, columns }: ChartQuery): readonly ChartOrder[] {
  if (orderBy.length > 0 || !isAggregated({ columns })) return orderBy;
  return columns.filter(({ agg }) => agg === undefined).map(({ name }) => ({
    column: name,
    descending: false,
  }));
}

function comparison(query: ChartQuery): (a: ChartRow, b: ChartRow) => number {
  const criteria = orderOf(query).map(({ column, descending }) => ({
    index: query.columns.findIndex(({ name }) => name === column),
    sign: descending ? -1 : 1,
  }));
  return (a, b) => {
    for (const { index, sign } of criteria) {
      const order = compare(a[index], b[index], sign);
      if (order !== 0) return order;
    }
    return 0;
  };
}

/** Missing values come last in both directions. */
function compare(a: ChartValue, b: ChartValue, sign: number): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return a < b ? -sign : sign;
}
