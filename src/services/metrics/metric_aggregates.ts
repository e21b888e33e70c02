/** Aggregates the values of one metric over parts of a time window. */
import { type Instant, toIso } from "../../base/clock.ts";
import { Double, type JsonObject } from "../../base/json.ts";

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

type GroupBy = "minute" | "hour" | "day" | "week" | "month";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Parts of a window; values after them are ignored. */
const MAX_PARTS = 5_000;

/** The unit of parts by window length: the finest one that a chart can show. */
const UNITS: readonly (readonly [upToMs: number, groupBy: GroupBy])[] = [
  [6 * HOUR_MS, "minute"],
  [DAY_MS, "hour"],
  [180 * DAY_MS, "day"],
  [365 * DAY_MS, "week"],
  [Infinity, "month"],
];

/** `{groupBy, aggregations: [{name, value, date}]}`; a part without values is 0. */
export function aggregateMetrics(
  values: readonly TimedValue[],
  { metric, aggregation, start, end }: MetricWindow & {
    readonly metric: string;
    readonly aggregation: Aggregation;
  },
): JsonObject {
  const groupBy = UNITS.find(([upToMs]) => end - start <= upToMs)?.[1] ?? "month";
  const parts = new Map<Instant, number[]>();
  for (let at = partStart(start, groupBy); at <= end && parts.size < MAX_PARTS; at = nextPart(at, groupBy)) {
    parts.set(at, []);
  }
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

/** Start of the part that contains a time, in UTC; weeks begin on Monday. */
function partStart(at: Instant, groupBy: GroupBy): Instant {
  const date = new Date(at);
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  switch (groupBy) {
    case "minute":
      return Math.floor(at / 60_000) * 60_000;
    case "hour":
      return Math.floor(at / HOUR_MS) * HOUR_MS;
    case "day":
      return day;
    case "week":
      return day - (date.getUTCDay() + 6) % 7 * DAY_MS;
    case "month":
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
}

function nextPart(at: Instant, groupBy: GroupBy): Instant {
  const date = new Date(at);
  if (groupBy === "month") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const lengths = { minute: 60_000, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
  return at + lengths[groupBy];
}
