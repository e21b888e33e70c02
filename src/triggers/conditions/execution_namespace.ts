/** `core.condition.ExecutionNamespace`: an execution belongs to a given namespace. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { NAMESPACE_COMPARISON } from "./namespaces.ts";

/** Tests the execution that a Flow trigger reacts to. */
export const executionNamespaceCondition: ConditionType = {
  form: "planned",
  type: "core.condition.ExecutionNamespace",
  aliases: [
    "core.condition.ExecutionNamespaceCondition",
    "core.models.conditions.types.ExecutionNamespaceCondition",
  ],
  description: "True for executions of flows in a given namespace.",
  properties: {
    ...NAMESPACE_COMPARISON,
  },
};
