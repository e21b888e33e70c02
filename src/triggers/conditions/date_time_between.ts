/** `core.condition.DateTimeBetween`: a date lies between two others. */
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { CONDITION_DATE, dateOf, instantOf, isBetween } from "./dates.ts";

/** Tests the date of a schedule. */
export const dateTimeBetweenCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.DateTimeBetween",
  aliases: [
    "core.condition.DateTimeBetweenCondition",
    "core.models.conditions.types.DateTimeBetweenCondition",
    "core.models.conditions.types.DateBetweenCondition",
  ],
  description: "True when a date lies after one and before another; one of them may be left out.",
  properties: {
    date: CONDITION_DATE,
    after: { type: "dateTime", dynamic: true, description: "The date must lie after this one." },
    before: { type: "dateTime", dynamic: true, description: "The date must lie before this one." },
  },
  test(properties, scope) {
    const { epochMs } = dateOf(properties, scope);
    return isBetween(properties, (limit) => epochMs - instantOf(limit, scope));
  },
};
