import { assertEquals, assertThrows } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { readChartRequest, readWindow } from "../../../src/http/filters/chart_filters.ts";

const NOW = Date.UTC(2026, 0, 15);
const HOUR_MS = 3_600_000;
const day = (number: number) => Date.UTC(2026, 0, number);

/** A query, and the start and end of its window. */
const WINDOWS: readonly (readonly [query: string, start: number | undefined, end: number | undefined])[] = [
  ["", undefined, undefined],
  ["startDate=2026-01-02&endDate=2026-01-03", day(2), day(3)],
  ["filters[startDate][GREATER_THAN_OR_EQUAL_TO]=2026-01-02T00:00:00Z", day(2), undefined],
  ["filters[startDate][LESS_THAN]=2026-01-02T00:00:00Z", undefined, day(2)],
  ["filters[endDate][LESS_THAN_OR_EQUAL_TO]=2026-01-02T00:00:00Z", undefined, day(2)],
  ["filters[or][0][endDate][GREATER_THAN]=2026-01-02T00:00:00Z", day(2), undefined],
  ["startDate=PT2H", NOW - 2 * HOUR_MS, undefined],
  ["timeRange=PT2H", NOW - 2 * HOUR_MS, undefined],
  ["timeRange=PT2H&endDate=2026-01-03T02:00:00Z", day(3), day(3) + 2 * HOUR_MS],
  ["timeRange=PT2H&startDate=2026-01-02T00:00:00Z", day(2), undefined],
  ["startDate=&timeRange=", undefined, undefined],
];
for (const [query, start, end] of WINDOWS) {
  Deno.test(`readWindow() reads "${query}"`, () => {
    assertEquals(readWindow(new URLSearchParams(query), NOW), { start, end });
  });
}

Deno.test("readChartRequest() ends the window at the instant from which a time range counts back", () => {
  const { start, end } = readChartRequest(new URLSearchParams("timeRange=P7D"), NOW);
  assertEquals([start, end], [day(8), NOW]);
});

/** A query, and what the message says. */
const REFUSED: readonly (readonly [query: string, says: string])[] = [
  ["startDate=soon", "must be a date"],
  ["timeRange=soon", "must be a duration"],
  ["startDate=2026-01-03T00:00:00Z&endDate=2026-01-02T00:00:00Z", "Start date must be before End Date"],
];
for (const [query, says] of REFUSED) {
  Deno.test(`readWindow() refuses "${query}"`, () => {
    assertThrows(() => readWindow(new URLSearchParams(query), NOW), DomainError, says);
  });
}
