/** `core.condition.ExecutionOutputs`: an expression on the outputs of an execution is true. */
import { executionOf, isExpressionTrue } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionOutputsCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.ExecutionOutputs",
  aliases: [
    "core.condition.ExecutionOutputsCondition",
    "core.models.conditions.types.ExecutionOutputsCondition",
  ],
  description: "True for executions for whose outputs an expression is true.",
  properties: {
    expression: {
      type: "string",
      required: true,
      dynamic: true,
      description: "Expression that reads the outputs as `trigger.outputs`.",
    },
  },
  isFalse: (scope) => executionOf(scope, "ExecutionOutputs").isWithoutOutputs === true,
  test: isExpressionTrue,
};
