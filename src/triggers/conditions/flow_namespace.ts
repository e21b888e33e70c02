/** `core.condition.FlowNamespaceCondition`: the flow belongs to a given namespace. */
import type { ConditionType } from "../../model/trigger_catalog.ts";
import { NAMESPACE_COMPARISON } from "./namespaces.ts";

/** Tests the flow. */
export const flowNamespaceCondition: ConditionType = {
  form: "planned",
  type: "core.condition.FlowNamespaceCondition",
  aliases: ["core.models.conditions.types.FlowNamespaceCondition"],
  description: "True for flows in a given namespace.",
  properties: {
    ...NAMESPACE_COMPARISON,
  },
};
