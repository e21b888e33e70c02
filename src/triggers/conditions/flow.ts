/** `core.condition.FlowCondition`: the flow is a given one. */
import { FLOW_KEY, isFlow } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";

/** Tests the flow. */
export const flowCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.FlowCondition",
  aliases: ["core.models.conditions.types.FlowCondition"],
  description: "True for a given flow.",
  properties: FLOW_KEY,
  test: (properties, { flow }) => isFlow(properties, flow),
};
