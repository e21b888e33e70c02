/**
 * Fire times of a cron expression in a time zone. A time of day fires once a day: a time that the clock skips fires at the
 * end of the gap, a time that occurs twice fires the first time. A fixed interval (every hour, every ten minutes) follows
 * real time: a skipped time does not fire, a repeated time fires twice.
 */
import type { Instant } from "../../base/time/clock.ts";
import { offsetText, type Zone } from "../../languages/dates/mod.ts";
import type { FireTimes } from "../../model/triggers/trigger_catalog.ts";
import type { CronExpression } from "../../languages/cron/mod.ts";
import { nextLocalTime } from "./local_times.ts";

/** More than any zone was ever set back at once. */
const OVERLAP_SECONDS = 26 * 3600;
const DAY_SECONDS = 86_400;
const FIRST_SPAN_SECONDS = 60;
const MAX_SPAN_SECONDS = 41 * 366 * DAY_SECONDS;

/** The fire times of an expression in a zone. */
export function cronFireTimes(cron: CronExpression, zone: Zone): FireTimes {
  const nextSecond = (after: number) =>
    cron.isEveryHour ? nextOfInterval(cron, zone, after) : nextOfDay(cron, zone, after);
  const toMs = (seconds: number | undefined) => seconds === undefined ? undefined : seconds * 1000;
  return {
    next: (after) => toMs(nextSecond(Math.floor(after / 1000))),
    previous: (before) => toMs(lastBefore(nextSecond, before)),
    text: (at) => dateTextOf(at, zone),
  };
}

/** The first instant after `after` for a time of day. Ascending local times have ascending instants. */
function nextOfDay(cron: CronExpression, zone: Zone, after: number): number | undefined {
  let local = nextLocalTime(cron, after + zone.offsetAt(after) + 1);
  while (local !== undefined) {
    const instant = firstInstantOf(local, zone);
    if (instant > after) return instant;
    local = nextLocalTime(cron, local + 1);
  }
  return undefined;
}

/** The first instant of a local time; the end of the gap for a skipped one. */
function firstInstantOf(local: number, zone: Zone): number {
  const [early, late] = candidatesOf(local, zone);
  if (zone.offsetAt(early) === local - early) return early;
  if (zone.offsetAt(late) === local - late) return late;
  return changeBetween(early, late, zone);
}

/** The instants of a local time by the offsets before and after a change, in ascending order. */
function candidatesOf(local: number, zone: Zone): [number, number] {
  const one = local - zone.offsetAt(local - DAY_SECONDS);
  const other = local - zone.offsetAt(local + DAY_SECONDS);
  return one <= other ? [one, other] : [other, one];
}

/** The first instant after `after` for a fixed interval. */
function nextOfInterval(cron: CronExpression, zone: Zone, after: number): number | undefined {
  const offset = zone.offsetAt(after);
  const regular = nextExisting(cron, zone, after);
  const later = after + OVERLAP_SECONDS;
  if (zone.offsetAt(later) >= offset) return regular;
  const change = changeBetween(after, later, zone);
  // The clock is set back: past local times occur again.
  const repeated = nextLocalTime(cron, change + zone.offsetAt(change));
  if (repeated === undefined || repeated >= change + offset) return regular;
  return Math.min(repeated - zone.offsetAt(change), regular ?? Infinity);
}

function nextExisting(cron: CronExpression, zone: Zone, after: number): number | undefined {
  let local = nextLocalTime(cron, after + zone.offsetAt(after) + 1);
  while (local !== undefined) {
    const wanted = local;
    const instant = candidatesOf(local, zone).find((candidate) =>
      candidate > after && zone.offsetAt(candidate) === wanted - candidate
    );
    if (instant !== undefined) return instant;
    local = nextLocalTime(cron, afterGap(local, zone));
  }
  return undefined;
}

/** The next local time; the first one after the gap if the clock skips the given one: some zones have skipped a whole day. */
function afterGap(local: number, zone: Zone): number {
  const [early, late] = candidatesOf(local, zone);
  if (zone.offsetAt(early) === zone.offsetAt(late)) return local + 1;
  const end = changeBetween(early, late, zone);
  return Math.max(local + 1, end + zone.offsetAt(end));
}

/** The first second of the offset at `late`; the offset at `early` differs. */
function changeBetween(early: number, late: number, zone: Zone): number {
  const offset = zone.offsetAt(early);
  let [low, high] = [early, late];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle) === offset) low = middle;
    else high = middle;
  }
  return high;
}

/** The last time before an instant: looks back over spans that grow by a factor of 4, then bisects. */
function lastBefore(next: (after: number) => number | undefined, beforeMs: Instant): number | undefined {
  const before = Math.ceil(beforeMs / 1000);
  for (let span = FIRST_SPAN_SECONDS; span < MAX_SPAN_SECONDS; span *= 4) {
    const found = next(before - span - 1);
    if (found !== undefined && found < before) return bisect(next, found, before);
  }
  return undefined;
}

function bisect(next: (after: number) => number | undefined, found: number, before: number): number {
  let last = found, end = before;
  while (end - last > 1) {
    const middle = Math.floor((last + end) / 2);
    const candidate = next(middle - 1);
    if (candidate !== undefined && candidate < before) last = candidate;
    else end = middle;
  }
  return last;
}

/** ISO 8601 in whole seconds with the offset of the zone: `2026-01-31T08:15:30Z`, `2026-01-31T09:15:30+01:00`. */
export function dateTextOf(at: Instant, zone: Zone): string {
  const offset = zone.offsetAt(Math.floor(at / 1000));
  const local = new Date(at + offset * 1000).toISOString().replace(/\.\d{3}Z$/, "");
  return local + (offset === 0 ? "Z" : offsetText(offset, ":"));
}
