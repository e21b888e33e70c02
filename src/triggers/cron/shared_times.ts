/** Cache of fire times that schedules of the same expression and zone share. */
import type { Instant } from "../../base/time/clock.ts";
import { parseCron } from "../../languages/cron/mod.ts";
import { keyWeight, LruCache } from "../../base/lru.ts";
import { findZone } from "../../languages/dates/mod.ts";
import type { FireTimes } from "../../model/triggers/trigger_catalog.ts";
import { cronFireTimes } from "./fire_times.ts";

const MAX_EXPRESSIONS = 1_000;
/** A schedule needs its date, the dates before and after it, and their texts. */
const MAX_RESULTS = 8;

const shared = new LruCache<string, FireTimes>(MAX_EXPRESSIONS);

/** The times of a cron expression, with or without a field for seconds, in a zone. @throws Error the expression or zone is invalid */
export function sharedFireTimes(cron: string, withSeconds: boolean, zone: string): FireTimes {
  const key = JSON.stringify([cron, withSeconds, zone]);
  const known = shared.get(key);
  if (known) return known;
  const { next, previous, text } = cronFireTimes(parseCron(cron, withSeconds), findZone(zone));
  const times = { next: remembering(next), previous: remembering(previous), text: remembering(text) };
  shared.set(key, times, keyWeight(key));
  return times;
}

/** Caches the last results of a function. */
function remembering<T>(compute: (at: Instant) => T): (at: Instant) => T {
  const results = new Map<Instant, T>();
  return (at) => {
    if (results.has(at)) return results.get(at) as T;
    if (results.size >= MAX_RESULTS) results.clear();
    const result = compute(at);
    results.set(at, result);
    return result;
  };
}
