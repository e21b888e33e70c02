/**
 * When a cron expression fires in a time zone. Times of the day fire once a day: one that the clock skips fires when it
 * has jumped, one that comes twice fires the first time. A rhythm (every hour, every ten minutes) follows real time: what
 * is skipped never is, and what comes twice fires twice.
 */
import type { Instant } from "../../base/clock.ts";
import type { Zone } from "../../languages/dates/mod.ts";
import type { FireTimes } from "../../model/triggers/trigger_catalog.ts";
import { dateTextOf } from "../date_text.ts";
import type { CronExpression } from "../../languages/cron/mod.ts";
import { nextLocalTime } from "./local_times.ts";

/** More than any zone has ever been put back at once. */
const OVERLAP_SECONDS = 26 * 3600;
const DAY_SECONDS = 86_400;
const FIRST_SPAN_SECONDS = 60;
const MAX_SPAN_SECONDS = 41 * 366 * DAY_SECONDS;

/** The times of an expression in a zone. */
export function cronFireTimes(cron: CronExpression, zone: Zone): FireTimes {
  const nextSecond = (after: number) =>
    cron.isEveryHour ? nextOfRhythm(cron, zone, after) : nextOfDay(cron, zone, after);
  const toMs = (seconds: number | undefined) => seconds === undefined ? undefined : seconds * 1000;
  return {
    next: (after) => toMs(nextSecond(Math.floor(after / 1000))),
    previous: (before) => toMs(lastBefore(nextSecond, before)),
    text: (at) => dateTextOf(at, zone),
  };
}

/** The first instant after `after` for a time of the day. Instants of ascending local times ascend. */
function nextOfDay(cron: CronExpression, zone: Zone, after: number): number | undefined {
  let local = nextLocalTime(cron, after + zone.offsetAt(after) + 1);
  while (local !== undefined) {
    const instant = firstInstantOf(local, zone);
    if (instant > after) return instant;
    local = nextLocalTime(cron, local + 1);
  }
  return undefined;
}

/** The first instant of a local time; of one that is skipped, the end of the gap. */
function firstInstantOf(local: number, zone: Zone): number {
  const [early, late] = candidatesOf(local, zone);
  if (zone.offsetAt(early) === local - early) return early;
  if (zone.offsetAt(late) === local - late) return late;
  return changeBetween(early, late, zone);
}

/** Where a local time would be, by the offset before a change and by the one after it; in ascending order. */
function candidatesOf(local: number, zone: Zone): [number, number] {
  const one = local - zone.offsetAt(local - DAY_SECONDS);
  const other = local - zone.offsetAt(local + DAY_SECONDS);
  return one <= other ? [one, other] : [other, one];
}

/** The first instant after `after` for a rhythm. */
function nextOfRhythm(cron: CronExpression, zone: Zone, after: number): number | undefined {
  const offset = zone.offsetAt(after);
  const regular = nextExisting(cron, zone, after);
  const later = after + OVERLAP_SECONDS;
  if (zone.offsetAt(later) >= offset) return regular;
  const change = changeBetween(after, later, zone);
  // The clock is put back: local times that are over come again.
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
    local = nextLocalTime(cron, local + 1);
  }
  return undefined;
}

/** The first second of the offset that holds at `late`, when another one holds at `early`. */
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

/** The last time before an instant: looks back over longer and longer spans, then closes in. */
function lastBefore(next: (after: number) => number | undefined, beforeMs: Instant): number | undefined {
  const before = Math.ceil(beforeMs / 1000);
  for (let span = FIRST_SPAN_SECONDS; span < MAX_SPAN_SECONDS; span *= 4) {
    const found = next(before - span - 1);
    if (found !== undefined && found < before) return closeIn(next, found, before);
  }
  return undefined;
}

function closeIn(next: (after: number) => number | undefined, found: number, before: number): number {
  let last = found, end = before;
  while (end - last > 1) {
    const middle = Math.floor((last + end) / 2);
    const candidate = next(middle - 1);
    if (candidate !== undefined && candidate < before) last = candidate;
    else end = middle;
  }
  return last;
}
