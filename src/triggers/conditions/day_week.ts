/** `core.condition.DayWeek`: a date is a given day of the week. */
import { textOf } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { CONDITION_DATE, dateOf, DAY_OF_WEEK, DAYS_OF_WEEK } from "./dates.ts";

/** Tests the date of a schedule. */
export const dayWeekCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.DayWeek",
  aliases: ["core.condition.DayWeekCondition", "core.models.conditions.types.DayWeekCondition"],
  description: "True when a date is a given day of the week.",
  properties: { date: CONDITION_DATE, dayOfWeek: DAY_OF_WEEK },
  test(properties, scope) {
    return DAYS_OF_WEEK[dateOf(properties, scope).weekday] === textOf(properties, "dayOfWeek").toUpperCase();
  },
};
