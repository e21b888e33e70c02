/** `core.condition.ExecutionFlow`: an execution belongs to a given flow. */
import { textOf } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionFlowCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.ExecutionFlow",
  aliases: ["core.condition.ExecutionFlowCondition", "core.models.conditions.types.ExecutionFlowCondition"],
  description: "True for executions of a given flow.",
  properties: {
    namespace: { type: "string", required: true, dynamic: true, description: "Namespace of the flow." },
    flowId: { type: "string", required: true, dynamic: true, description: "Id of the flow." },
  },
  test(properties, { execution }) {
    return execution?.namespace === textOf(properties, "namespace") &&
      execution.id === textOf(properties, "flowId");
  },
};
