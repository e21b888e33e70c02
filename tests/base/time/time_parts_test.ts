import { assertEquals } from "@std/assert";
import { DAY_MS, type TimeUnit, unitFor } from "../../../src/base/time/time_parts.ts";

const ROWS: readonly (readonly [lengthMs: number, unit: TimeUnit])[] = [
  [0, "minute"],
  [DAY_MS / 4, "minute"],
  [DAY_MS / 4 + 5, "minute"],
  [DAY_MS / 2, "hour"],
  [DAY_MS, "hour"],
  [DAY_MS + 5, "hour"],
  [DAY_MS + 120_000, "day"],
  [30 * DAY_MS, "day"],
  [200 * DAY_MS, "week"],
  [400 * DAY_MS, "month"],
];
for (const [lengthMs, unit] of ROWS) {
  Deno.test(`unitFor() shows a window of ${lengthMs} ms by ${unit}`, () =>
    assertEquals(unitFor(lengthMs), unit));
}
