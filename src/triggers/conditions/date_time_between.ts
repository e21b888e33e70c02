/** `core.condition.DateTimeBetween`: a date lies between two others. */
import { ownProperty } from "../../base/json.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { CONDITION_DATE, dateOf, instantOf } from "./dates.ts";

/** Tests the date of a schedule. */
export const dateTimeBetweenCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.DateTimeBetween",
  aliases: [
    "core.condition.DateTimeBetweenCondition",
    "core.models.conditions.types.DateTimeBetweenCondition",
    "core.models.conditions.types.DateBetweenCondition",
  ],
  description: "True when a date lies after one and before another; one of them may be left out.",
  properties: {
    date: CONDITION_DATE,
    after: { type: "dateTime", dynamic: true, description: "The date must lie after this one." },
    before: { type: "dateTime", dynamic: true, description: "The date must lie before this one." },
  },
  test(properties, scope) {
    const { epochMs } = dateOf(properties, scope);
    const after = ownProperty(properties, "after") ?? null,
      before = ownProperty(properties, "before") ?? null;
    return (after === null || epochMs > instantOf(after, scope)) &&
      (before === null || epochMs < instantOf(before, scope));
  },
};
