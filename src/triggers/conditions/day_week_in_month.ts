/** `core.condition.DayWeekInMonth`: a date is, for example, the first Monday of its month. */
import { textOf } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { CONDITION_DATE, dateOf, DAY_OF_WEEK, DAYS_OF_WEEK } from "./dates.ts";

/** Tests the date of a schedule. */
export const dayWeekInMonthCondition: TestedConditionType = {
  form: "condition",
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
  test(properties, scope) {
    const { weekday, day, daysInMonth } = dateOf(properties, scope);
    if (DAYS_OF_WEEK[weekday] !== textOf(properties, "dayOfWeek").toUpperCase()) return false;
    const wanted = textOf(properties, "dayInMonth").toUpperCase();
    if (wanted === "LAST") return day + 7 > daysInMonth;
    return ORDINALS.indexOf(wanted) === Math.floor((day - 1) / 7);
  },
};

const ORDINALS = ["FIRST", "SECOND", "THIRD", "FOURTH"];
