/** `core.condition.Not`: none of the given conditions holds. */
import type { ConditionType } from "../../model/trigger_catalog.ts";

/** Turns other conditions round. */
export const notCondition: ConditionType = {
  form: "planned",
  type: "core.condition.Not",
  aliases: ["core.condition.NotCondition", "core.models.conditions.types.NotCondition"],
  description: "True when none of its conditions is true.",
  properties: {
    conditions: { type: "conditions", required: true, description: "Conditions, none of which may be true." },
  },
};
