/** `core.condition.DayWeek`: a date is a given day of the week. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { CONDITION_DATE, DAY_OF_WEEK } from "./dates.ts";

/** Tests the date of a schedule. */
export const dayWeekCondition: ConditionType = {
  form: "planned",
  type: "core.condition.DayWeek",
  aliases: ["core.condition.DayWeekCondition", "core.models.conditions.types.DayWeekCondition"],
  description: "True when a date is a given day of the week.",
  properties: {
    date: CONDITION_DATE,
    dayOfWeek: DAY_OF_WEEK,
  },
};
