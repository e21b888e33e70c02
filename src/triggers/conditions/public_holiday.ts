/** `core.condition.PublicHoliday`: a date is a public holiday. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { COUNTRIES } from "../holidays/countries.ts";
import { isHoliday, unknownPlace } from "../holidays/holidays.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { CONDITION_DATE, dateOf } from "./dates.ts";
import { textOf } from "./properties.ts";

/** The country of the locale in which expressions print dates. */
const DEFAULT_COUNTRY = "US";

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
      dynamic: true,
      default: DEFAULT_COUNTRY,
      description: `Code of the country (ISO 3166-1), one of ${[...COUNTRIES.keys()].join(", ")}.`,
    },
    subDivision: {
      type: "string",
      dynamic: true,
      description: "Code of a part of the country, such as `BY`.",
    },
  },
  mistakeIn: (properties) => unknownPlace(placeOf(properties)),
  test: (properties, scope) => isHoliday(dateOf(properties, scope), placeOf(properties)),
};

function placeOf(properties: JsonObject) {
  const country = ownProperty(properties, "country") === undefined
    ? DEFAULT_COUNTRY
    : textOf(properties, "country");
  return { country, subDivision: textOf(properties, "subDivision") };
}
