/** `core.condition.Not`: none of its conditions holds. */
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { anyHolds } from "./properties.ts";

/** Negates other conditions. */
export const notCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.Not",
  aliases: ["core.condition.NotCondition", "core.models.conditions.types.NotCondition"],
  description: "True when none of its conditions is true.",
  properties: {
    conditions: { type: "conditions", required: true, description: "Conditions, none of which may be true." },
  },
  async test(properties, scope) {
    return !await anyHolds(properties, scope);
  },
};
