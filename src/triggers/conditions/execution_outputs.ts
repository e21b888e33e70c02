/** `core.condition.ExecutionOutputs`: an expression on the outputs of an execution is true. */
import type { ConditionType } from "../../model/trigger_catalog.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionOutputsCondition: ConditionType = {
  form: "planned",
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
};
