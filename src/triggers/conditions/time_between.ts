/** `core.condition.TimeBetween`: a time of day lies between two others. */
import type { Instant } from "../../base/time/clock.ts";
import type { ConditionScope, TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { DAY_MS, localMsOf, parseTimeOfDay } from "../time_of_day.ts";
import { CONDITION_DATE, dateOf, isBetween } from "./dates.ts";

/** Tests the date of a schedule. */
export const timeBetweenCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.TimeBetween",
  aliases: ["core.condition.TimeBetweenCondition", "core.models.conditions.types.TimeBetweenCondition"],
  description: "True when the time of day lies after one and before another; one of them may be left out.",
  properties: {
    date: CONDITION_DATE,
    after: {
      type: "string",
      dynamic: true,
      description: "The time must lie after this one, such as `16:00:00+02:00`.",
    },
    before: { type: "string", dynamic: true, description: "The time must lie before this one." },
  },
  test(properties, scope) {
    const { epochMs } = dateOf(properties, scope);
    return isBetween(properties, (limit) => latenessOf(epochMs, String(limit), scope));
  },
};

/** Milliseconds by which the time of day is later than a given one, in its zone. @throws Error it is no time */
function latenessOf(at: Instant, text: string, { timeZone }: ConditionScope): number {
  const wanted = parseTimeOfDay(text);
  if (!wanted) throw new Error(`Cannot read "${text}" as a time of day, such as "16:00:00+02:00"`);
  const local = localMsOf(at, wanted.zone ?? timeZone);
  const time = ((local % DAY_MS) + DAY_MS) % DAY_MS;
  return time - wanted.ms;
}
