/** `core.condition.PublicHoliday`: a date is a public holiday. */
import { isHoliday } from "../holidays/holidays.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { CONDITION_DATE, dateOf } from "./dates.ts";
import { textOf } from "./values.ts";

/** Tests the date of a schedule. */
export const publicHolidayCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.PublicHoliday",
  aliases: ["core.condition.PublicHolidayCondition", "core.models.conditions.types.PublicHolidayCondition"],
  description: "True when a date is a public holiday of a country.",
  properties: {
    date: CONDITION_DATE,
    country: {
      type: "string",
      required: true,
      dynamic: true,
      description: "Code of the country, such as `FR` (ISO 3166-1).",
    },
    subDivision: {
      type: "string",
      dynamic: true,
      description: "Code of a part of the country, such as `BY`.",
    },
  },
  test(properties, scope) {
    return isHoliday(dateOf(properties, scope), {
      country: textOf(properties, "country"),
      subDivision: textOf(properties, "subDivision"),
    });
  },
};
