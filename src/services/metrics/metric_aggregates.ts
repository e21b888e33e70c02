/** Aggregates the values of one metric over parts of a time window. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import { Double, type JsonObject } from "../../base/json.ts";
import { partStart, partStarts, unitFor } from "../../base/time/time_parts.ts";

/** Aggregate functions. */
export const AGGREGATIONS = ["sum", "avg", "min", "max"] as const;

/** One of {@link AGGREGATIONS}. */
export type Aggregation = typeof AGGREGATIONS[number];

/** A time window, both ends included. */
export interface MetricWindow {
  readonly start: Instant;
  readonly end: Instant;
}

interface TimedValue {
  readonly value: number;
  readonly at: Instant;
}

/** Parts of a window; values after them are ignored. */
const MAX_PARTS = 5_000;

/** `{groupBy, aggregations: [{name, value, date}]}`; a part without values is 0. */
export function aggregateMetrics(
  values: readonly TimedValue[],
  { metric, aggregation, start, end }: MetricWindow & {
    readonly metric: string;
    readonly aggregation: Aggregation;
  },
): JsonObject {
  const groupBy = unitFor(end - start);
  const parts = new Map<Instant, number[]>(
    partStarts(start, end, groupBy, MAX_PARTS).map((at) => [at, []]),
  );
  for (const { value, at } of values) parts.get(partStart(at, groupBy))?.push(value);
  const aggregations = [...parts].map(([at, found]) => ({
    name: metric,
    value: new Double(found.length === 0 ? 0 : AGGREGATES[aggregation](found)),
    date: toIso(at),
  }));
  return { groupBy, aggregations };
}

const AGGREGATES: Readonly<Record<Aggregation, (values: readonly number[]) => number>> = {
  sum: total,
  avg: average,
  min: (values) => values.reduce((least, value) => Math.min(least, value), Infinity),
  max: (values) => values.reduce((most, value) => Math.max(most, value), -Infinity),
};

/** JSON has no infinity: an overflowing sum becomes the largest number. */
function total(values: readonly number[]): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, sumOf(values)));
}

function average(values: readonly number[]): number {
  const { length } = values;
  const sum = sumOf(values);
  return Number.isFinite(sum) ? sum / length : sumOf(values.map((value) => value / length));
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
