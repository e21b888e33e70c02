/** `core.trigger.ScheduleOnDates`: starts an execution at given times. */
import type { Instant } from "../base/time/clock.ts";
import { type JsonObject, ownProperty } from "../base/json.ts";
import { readStructure } from "../base/json_text.ts";
import { findZone, parseIsoDate, type Zone } from "../languages/dates/mod.ts";
import type { FireTimes, ScheduleTriggerType } from "../model/triggers/trigger_catalog.ts";
import { dateTextOf } from "./cron/fire_times.ts";
import { RECOVER_MISSED, SCHEDULE_OUTPUTS, TIME_ZONE } from "./shared_properties.ts";

/** As many as the source of a flow may have; an expression may give more. */
const MAX_DATES = 20_000;

/** Sets `trigger.date`, `trigger.next` and `trigger.previous`. */
export const scheduleOnDatesTrigger: ScheduleTriggerType = {
  form: "schedule",
  type: "core.trigger.ScheduleOnDates",
  aliases: ["core.models.triggers.types.ScheduleOnDates"],
  description: "Starts executions at given times.",
  properties: {
    dates: {
      type: "list",
      required: true,
      dynamic: true,
      items: { type: "dateTime", dynamic: true, description: "A time." },
      description: "Times at which an execution starts; it reads them in whole seconds.",
    },
    timezone: TIME_ZONE,
    recoverMissedSchedules: RECOVER_MISSED,
  },
  outputs: SCHEDULE_OUTPUTS,
  times(properties, timeZone): FireTimes {
    const zone = findZone(String(ownProperty(properties, "timezone") ?? timeZone));
    const dates = datesOf(properties, zone);
    return {
      next: (after) => dates.find((date) => date > after),
      previous: (before) => dates.findLast((date) => date < before),
      text: (at) => dateTextOf(at, zone),
    };
  },
};

/** The dates in ascending order without duplicates; an expression renders to JSON. @throws Error one is no date, there are too many */
function datesOf(properties: JsonObject, zone: Zone): Instant[] {
  const given = readStructure(ownProperty(properties, "dates") ?? null);
  const all = Array.isArray(given) ? given : [given];
  if (all.length > MAX_DATES) throw new Error(`Cannot read dates: they are more than ${MAX_DATES}`);
  const dates = all.map((date) => {
    const { epochSeconds, nanos } = parseIsoDate(String(date), zone);
    return epochSeconds * 1000 + Math.floor(nanos / 1_000_000);
  });
  return [...new Set(dates)].sort((a, b) => a - b);
}
