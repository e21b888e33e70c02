/** `core.condition.FlowCondition`: the flow is a given one. */
import { textOf } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";

/** Tests the flow. */
export const flowCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.FlowCondition",
  aliases: ["core.models.conditions.types.FlowCondition"],
  description: "True for a given flow.",
  properties: {
    namespace: { type: "string", required: true, dynamic: true, description: "Namespace of the flow." },
    flowId: { type: "string", required: true, dynamic: true, description: "Id of the flow." },
  },
  test(properties, { flow }) {
    return flow.namespace === textOf(properties, "namespace") && flow.id === textOf(properties, "flowId");
  },
};
