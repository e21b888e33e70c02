/** `core.condition.Weekend`: a date is a Saturday or Sunday. */
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { CONDITION_DATE, dateOf } from "./dates.ts";

/** Tests the date of a schedule. */
export const weekendCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.Weekend",
  aliases: ["core.condition.WeekendCondition", "core.models.conditions.types.WeekendCondition"],
  description: "True when a date is a Saturday or a Sunday.",
  properties: { date: CONDITION_DATE },
  test(properties, scope) {
    const { weekday } = dateOf(properties, scope);
    return weekday === 0 || weekday === 6;
  },
};
