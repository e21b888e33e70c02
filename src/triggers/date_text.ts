/** Dates as triggers print them. */
import type { Instant } from "../base/clock.ts";
import { offsetText, type Zone } from "../languages/dates/mod.ts";

/** ISO 8601 with the offset of the zone: `2026-01-31T08:15:30Z`, `2026-01-31T09:15:30+01:00`; milliseconds only when there are any. */
export function dateTextOf(at: Instant, zone: Zone): string {
  const offset = zone.offsetAt(Math.floor(at / 1000));
  const local = new Date(at + offset * 1000).toISOString().replace(/(?:\.000)?Z$/, "");
  return local + (offset === 0 ? "Z" : offsetText(offset, ":"));
}
