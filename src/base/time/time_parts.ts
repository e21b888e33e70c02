/** Parts of a time window, in UTC: minutes, hours, days, weeks from Monday, or months. */
import type { Instant } from "./clock.ts";

/** The unit of parts. */
export type TimeUnit = "minute" | "hour" | "day" | "week" | "month";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Milliseconds of a day. */
export const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** The unit by the length of the window: up to 6 whole hours, a whole day, 180 and 365 of them. */
const UNITS: readonly (readonly [belowMs: number, unit: TimeUnit])[] = [
  [7 * HOUR_MS, "minute"],
  [2 * DAY_MS, "hour"],
  [181 * DAY_MS, "day"],
  [366 * DAY_MS, "week"],
];

/** The unit in which a chart shows a window of that length. */
export function unitFor(lengthMs: number): TimeUnit {
  return UNITS.find(([belowMs]) => lengthMs < belowMs)?.[1] ?? "month";
}

/** The starts of the parts from the one with `start` to the one with `end`, ascending; at most `max`. */
export function partStarts(start: Instant, end: Instant, unit: TimeUnit, max: number): Instant[] {
  const starts: Instant[] = [];
  for (let at = partStart(start, unit); at <= end && starts.length < max; at = nextPart(at, unit)) {
    starts.push(at);
  }
  return starts;
}

/** Start of the part that contains a time. */
export function partStart(at: Instant, unit: TimeUnit): Instant {
  const date = new Date(at);
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  switch (unit) {
    case "minute":
      return Math.floor(at / MINUTE_MS) * MINUTE_MS;
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

function nextPart(at: Instant, unit: TimeUnit): Instant {
  const date = new Date(at);
  if (unit === "month") return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const lengths = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS, week: WEEK_MS };
  return at + lengths[unit];
}
