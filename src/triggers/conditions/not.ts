/** `core.condition.Not`: none of the given conditions holds. */
import { ownProperty } from "../../base/json.ts";
import type { TestedConditionType } from "../../model/trigger_catalog.ts";

/** Turns other conditions round. */
export const notCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.Not",
  aliases: ["core.condition.NotCondition", "core.models.conditions.types.NotCondition"],
  description: "True when none of its conditions is true.",
  properties: {
    conditions: { type: "conditions", required: true, description: "Conditions, none of which may be true." },
  },
  async test(properties, { holds }) {
    const conditions = ownProperty(properties, "conditions");
    for (const condition of Array.isArray(conditions) ? conditions : []) {
      if (await holds(condition)) return false;
    }
    return true;
  },
};
