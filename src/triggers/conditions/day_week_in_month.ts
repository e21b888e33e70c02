/** `core.condition.DayWeekInMonth`: a date is, for example, the first Monday of its month. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { CONDITION_DATE, DAY_OF_WEEK } from "./dates.ts";

/** Tests the date of a schedule. */
export const dayWeekInMonthCondition: ConditionType = {
  form: "planned",
  type: "core.condition.DayWeekInMonth",
  aliases: ["core.condition.DayWeekInMonthCondition", "core.models.conditions.types.DayWeekInMonthCondition"],
  description: "True when a date is a given one of the same days of its month, such as the first Monday.",
  properties: {
    date: CONDITION_DATE,
    dayOfWeek: DAY_OF_WEEK,
    dayInMonth: {
      type: "string",
      required: true,
      dynamic: true,
      values: ["FIRST", "SECOND", "THIRD", "FOURTH", "LAST"],
      description: "Which of these days of the month.",
    },
  },
};
