/** `core.condition.TimeBetween`: a time of day lies between two others. */
import type { Instant } from "../../base/clock.ts";
import { ownProperty } from "../../base/json.ts";
import { findZone } from "../../expr/dates/zone.ts";
import type { ConditionScope, TestedConditionType } from "../../model/trigger_catalog.ts";
import { CONDITION_DATE, dateOf } from "./dates.ts";

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
    const after = ownProperty(properties, "after") ?? null,
      before = ownProperty(properties, "before") ?? null;
    return (after === null || isBeyond(epochMs, String(after), scope) > 0) &&
      (before === null || isBeyond(epochMs, String(before), scope) < 0);
  },
};

const TIME = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
const DAY_MS = 86_400_000;

/** How far the time of day lies behind a given one, in the zone that is given with it. @throws Error it is no time */
function isBeyond(at: Instant, text: string, { timeZone }: ConditionScope): number {
  const match = TIME.exec(text.trim());
  if (!match) throw new Error(`Cannot read "${text}" as a time of day, such as "16:00:00+02:00"`);
  const [, hour, minute, second = "0", offset] = match;
  const zone = findZone(offset?.toUpperCase() ?? timeZone);
  const local = at + zone.offsetAt(Math.floor(at / 1000)) * 1000;
  const time = ((local % DAY_MS) + DAY_MS) % DAY_MS;
  return time - ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
}
