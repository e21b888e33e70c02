/** `core.condition.ExecutionNamespace`: an execution belongs to a given namespace. */
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { executionOf, isNamespace, NAMESPACE_COMPARISON } from "./properties.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionNamespaceCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.ExecutionNamespace",
  aliases: [
    "core.condition.ExecutionNamespaceCondition",
    "core.models.conditions.types.ExecutionNamespaceCondition",
  ],
  description: "True for executions of flows in a given namespace.",
  properties: NAMESPACE_COMPARISON,
  test: (properties, scope) => isNamespace(properties, executionOf(scope, "ExecutionNamespace").namespace),
};
