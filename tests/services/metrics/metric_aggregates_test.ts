import { assertEquals } from "@std/assert";
import { Double, type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import { aggregateMetrics, type Aggregation } from "../../../src/services/metrics/metric_aggregates.ts";

const DAY_MS = 86_400_000;
const END = Date.UTC(2026, 2, 4, 12, 30, 20);

/** Length of a window, unit of its parts, first and last part. */
const WINDOWS: readonly (readonly [lengthMs: number, groupBy: string, first: string, last: string])[] = [
  [3_600_000, "minute", "2026-03-04T11:30:00.000Z", "2026-03-04T12:30:00.000Z"],
  [DAY_MS, "hour", "2026-03-03T12:00:00.000Z", "2026-03-04T12:00:00.000Z"],
  [7 * DAY_MS, "day", "2026-02-25T00:00:00.000Z", "2026-03-04T00:00:00.000Z"],
  [200 * DAY_MS, "week", "2025-08-11T00:00:00.000Z", "2026-03-02T00:00:00.000Z"],
  [800 * DAY_MS, "month", "2023-12-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
];

for (const [lengthMs, expected, first, last] of WINDOWS) {
  Deno.test(`aggregateMetrics() divides ${lengthMs / 3_600_000} hours by ${expected}`, () => {
    const window = { start: END - lengthMs, end: END, metric: "m", aggregation: "sum" } as const;
    const values = [{ at: END, value: 2 }, { at: END - 1, value: 3 }, { at: END - 2 * lengthMs, value: 9 }];
    const { groupBy, aggregations } = aggregateMetrics(values, window);
    const parts = aggregations as { date: string; value: unknown }[];
    assertEquals([groupBy, parts[0]?.date, parts.at(-1)?.date], [expected, first, last]);
    assertEquals(parts.map(({ value }) => Number(String(value))).reduce((sum, value) => sum + value), 5);
  });
}

const LARGEST = Number.MAX_VALUE;
const HUGE: readonly (readonly [aggregation: Aggregation, values: readonly number[], expected: number])[] = [
  ["sum", [LARGEST, LARGEST], LARGEST],
  ["sum", [-LARGEST, -LARGEST], -LARGEST],
  ["avg", [1.5e308, 1.7e308], 1.6e308],
  ["max", [LARGEST, LARGEST], LARGEST],
];
for (const [aggregation, values, expected] of HUGE) {
  Deno.test(`aggregateMetrics() gives a number as ${aggregation} of ${values}`, () => {
    const window = { start: END - 1, end: END, metric: "m", aggregation };
    const { aggregations } = aggregateMetrics(values.map((value) => ({ at: END, value })), window);
    assertEquals(
      stringifyJson(aggregations as JsonValue),
      stringifyJson([{
        name: "m",
        value: new Double(expected),
        date: "2026-03-04T12:30:00.000Z",
      }]),
    );
  });
}
