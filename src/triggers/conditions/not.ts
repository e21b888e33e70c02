/** `core.condition.Not`: none of the given conditions holds. */
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { anyHolds } from "./any_holds.ts";

/** Turns other conditions round. */
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
