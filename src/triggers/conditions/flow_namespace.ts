/** `core.condition.FlowNamespaceCondition`: the flow belongs to a given namespace. */
import type { TestedConditionType } from "../../model/triggers/trigger_catalog.ts";
import { isNamespace, NAMESPACE_COMPARISON } from "./properties.ts";

/** Tests the flow. */
export const flowNamespaceCondition: TestedConditionType = {
  form: "condition",
  type: "core.condition.FlowNamespaceCondition",
  aliases: ["core.models.conditions.types.FlowNamespaceCondition"],
  description: "True for flows in a given namespace.",
  properties: NAMESPACE_COMPARISON,
  test: (properties, { flow }) => isNamespace(properties, flow.namespace),
};
