/** `core.condition.TimeBetween`: a time of day lies between two others. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { CONDITION_DATE } from "./dates.ts";

/** Tests the date of a schedule. */
export const timeBetweenCondition: ConditionType = {
  form: "planned",
  type: "core.condition.TimeBetween",
  aliases: ["core.condition.TimeBetweenCondition", "core.models.conditions.types.TimeBetweenCondition"],
  description: "True when the time of day lies after one and before another; one of them may be left out.",
  properties: {
    date: CONDITION_DATE,
    after: {
      type: "string",
      dynamic: true,
      description: "The time must lie after this one, such as `16:00:00+02:00`.",
    },
    before: { type: "string", dynamic: true, description: "The time must lie before this one." },
  },
};
