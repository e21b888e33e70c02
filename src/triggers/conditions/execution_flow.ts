/** `core.condition.ExecutionFlow`: an execution belongs to a given flow. */
import { executionOf, FLOW_KEY, isFlow } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionFlowCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.ExecutionFlow",
  aliases: ["core.condition.ExecutionFlowCondition", "core.models.conditions.types.ExecutionFlowCondition"],
  description: "True for executions of a given flow.",
  properties: FLOW_KEY,
  test: (properties, scope) => isFlow(properties, executionOf(scope, "ExecutionFlow")),
};
