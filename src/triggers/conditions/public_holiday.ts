/** `core.condition.PublicHoliday`: a date is a public holiday. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { CONDITION_DATE } from "./dates.ts";

/** Tests the date of a schedule. */
export const publicHolidayCondition: ConditionType = {
  form: "planned",
  type: "core.condition.PublicHoliday",
  aliases: ["core.condition.PublicHolidayCondition", "core.models.conditions.types.PublicHolidayCondition"],
  description: "True when a date is a public holiday of a country.",
  properties: {
    date: CONDITION_DATE,
    country: {
      type: "string",
      dynamic: true,
      description: "Code of the country, such as `FR` (ISO 3166-1); that of the server without it.",
    },
    subDivision: {
      type: "string",
      dynamic: true,
      description: "Code of a part of the country, such as `BY`.",
    },
  },
};
