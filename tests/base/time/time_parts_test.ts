import { assertEquals } from "@std/assert";
import { DAY_MS, type TimeUnit, unitFor } from "../../../src/base/time/time_parts.ts";

const HOUR_MS = DAY_MS / 24;
const ROWS: readonly (readonly [lengthMs: number, unit: TimeUnit])[] = [
  [0, "minute"],
  [DAY_MS / 4, "minute"],
  [DAY_MS / 4 + 5, "minute"],
  [7 * HOUR_MS - 1, "minute"],
  [7 * HOUR_MS, "hour"],
  [DAY_MS + 5, "hour"],
  [2 * DAY_MS - 1, "hour"],
  [2 * DAY_MS, "day"],
  [180.5 * DAY_MS, "day"],
  [181 * DAY_MS, "week"],
  [365.5 * DAY_MS, "week"],
  [366 * DAY_MS, "month"],
];
for (const [lengthMs, unit] of ROWS) {
  Deno.test(`unitFor() shows a window of ${lengthMs} ms by ${unit}`, () =>
    assertEquals(unitFor(lengthMs), unit));
}
