/** `core.condition.Or`: one of its conditions holds. */
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { anyHolds } from "./properties.ts";

/** Disjunction of other conditions. */
export const orCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.Or",
  aliases: ["core.condition.OrCondition", "core.models.conditions.types.OrCondition"],
  description: "True when one of its conditions is true.",
  properties: {
    conditions: { type: "conditions", required: true, description: "Conditions, one of which must be true." },
  },
  test: anyHolds,
};
