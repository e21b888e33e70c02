/** Times that many schedules share: what one of them has asked for, the others need not compute again. */
import type { Instant } from "../../base/clock.ts";
import { parseCron } from "../../languages/cron/mod.ts";
import { LruCache } from "../../base/lru.ts";
import { findZone } from "../../languages/dates/mod.ts";
import type { FireTimes } from "../../model/triggers/trigger_catalog.ts";
import { cronFireTimes } from "./fire_times.ts";

const MAX_EXPRESSIONS = 1_000;
/** A schedule asks for its date, for those around it and for their texts. */
const MAX_ANSWERS = 8;

const shared = new LruCache<string, FireTimes>(MAX_EXPRESSIONS);

/** The times of a cron expression, with a field for seconds or without, in a zone. @throws Error one of them means nothing */
export function sharedFireTimes(cron: string, withSeconds: boolean, zone: string): FireTimes {
  const key = JSON.stringify([cron, withSeconds, zone]);
  const known = shared.get(key);
  if (known) return known;
  const { next, previous, text } = cronFireTimes(parseCron(cron, withSeconds), findZone(zone));
  const times = { next: remembering(next), previous: remembering(previous), text: remembering(text) };
  shared.set(key, times);
  return times;
}

/** Knows its last answers. */
function remembering<T>(response: (at: Instant) => T): (at: Instant) => T {
  const responses = new Map<Instant, T>();
  return (at) => {
    if (responses.has(at)) return responses.get(at) as T;
    if (responses.size >= MAX_ANSWERS) responses.clear();
    const found = response(at);
    responses.set(at, found);
    return found;
  };
}
