/** `core.condition.Weekend`: a date is a Saturday or Sunday. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { CONDITION_DATE } from "./dates.ts";

/** Tests the date of a schedule. */
export const weekendCondition: ConditionType = {
  form: "planned",
  type: "core.condition.Weekend",
  aliases: ["core.condition.WeekendCondition", "core.models.conditions.types.WeekendCondition"],
  description: "True when a date is a Saturday or a Sunday.",
  properties: {
    date: CONDITION_DATE,
  },
};
