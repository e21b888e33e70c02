/** `core.condition.ExecutionLabels`: an execution has the given labels. */
import { ownProperty } from "../../base/json.ts";
import { executionOf, hasLabels } from "./properties.ts";
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionLabelsCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.ExecutionLabels",
  aliases: [
    "core.condition.ExecutionLabelsCondition",
    "core.models.conditions.types.ExecutionLabelsCondition",
  ],
  description: "True for executions that have all of the given labels.",
  properties: {
    labels: {
      type: "map",
      required: true,
      dynamic: true,
      orList: true,
      description: "Labels: a map, or a list of `key` and `value`.",
    },
  },
  test(properties, scope) {
    return hasLabels(executionOf(scope, "ExecutionLabels"), ownProperty(properties, "labels"));
  },
};
