/** Properties that several conditions and triggers read: texts, labels, namespaces and nested conditions. */
import { type JsonObject, type JsonValue, ownProperty, stringifyJson } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import { readLabels } from "../../model/flows/label.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { namespaceComparison } from "../../model/triggers/flow_patterns.ts";
import type { ConditionScope, ObservedExecution } from "../../model/triggers/trigger_catalog.ts";

/** The execution that a condition tests. @throws Error the trigger reacts to none */
export function executionOf({ execution }: ConditionScope, condition: string): ObservedExecution {
  if (execution) return execution;
  throw new Error(
    `Invalid condition with null execution: "${condition}" tests an execution, which only a Flow trigger reacts to`,
  );
}

/** The text of a property; empty when it is missing or null. */
export function textOf(properties: JsonObject, name: string): string {
  const value = ownProperty(properties, name) ?? null;
  return value === null ? "" : scalarText(value);
}

/** The texts of a list or of its JSON text; `undefined` when it is missing or null. */
export function textsOf(properties: JsonObject, name: string): string[] | undefined {
  const value = readStructure(ownProperty(properties, name) ?? null);
  if (value === null) return undefined;
  return (Array.isArray(value) ? value : [value]).map(scalarText);
}

/** True for a rendered `expression`, unless it is null, blank or `false`. Unlike `runIf` of tasks, it counts `0` as true. */
export function isExpressionTrue(properties: JsonObject): boolean {
  const text = textOf(properties, "expression").trim();
  return text !== "" && text !== "false";
}

function scalarText(value: JsonValue): string {
  return typeof value === "object" && value !== null && !("value" in value)
    ? stringifyJson(value)
    : String(value);
}

/**
 * True when the execution has all of these labels: a map, a list of `key` and `value`, or the JSON text of one.
 * @throws Error for another value
 */
export function hasLabels({ labels }: ObservedExecution, wanted: JsonValue = null): boolean {
  const given = readStructure(wanted);
  if (given !== null && typeof given !== "object") throw new Error(`Cannot read "${given}" as labels`);
  return readLabels(given).every(({ key, value }) =>
    labels.some((label) => label.key === key && label.value === value)
  );
}

/** Schemas of the namespace and the id of a flow. */
export const FLOW_KEY: PropertySchemas = Object.freeze({
  namespace: { type: "string", required: true, dynamic: true, description: "Namespace of the flow." },
  flowId: { type: "string", required: true, dynamic: true, description: "Id of the flow." },
});

/** True for the flow that the properties of {@link FLOW_KEY} name. */
export function isFlow(properties: JsonObject, flow: FlowKey): boolean {
  return flow.namespace === textOf(properties, "namespace") && flow.id === textOf(properties, "flowId");
}

/** True for a state that `in` lists, or any without it, and that `notIn` does not list. */
export function isSelectedState(properties: JsonObject, state: string): boolean {
  return (textsOf(properties, "in")?.includes(state) ?? true) &&
    !textsOf(properties, "notIn")?.includes(state);
}

/** Schemas of a namespace and its comparison. */
export const NAMESPACE_COMPARISON: PropertySchemas = Object.freeze({
  namespace: {
    type: "string",
    required: true,
    dynamic: true,
    description: "Text to compare the namespace with.",
  },
  comparison: {
    type: "string",
    values: ["EQUALS", "PREFIX", "SUFFIX"],
    default: "EQUALS",
    description: "Whether the namespace must equal the text, begin with it or end with it.",
  },
  prefix: {
    type: "boolean",
    default: false,
    deprecated: "use `comparison: PREFIX`",
    description: "Whether the namespace must begin with the text.",
  },
});

/** True for a namespace that matches the properties of {@link NAMESPACE_COMPARISON}. */
export function isNamespace(properties: JsonObject, namespace: string): boolean {
  const wanted = textOf(properties, "namespace");
  switch (namespaceComparison(properties)) {
    case "PREFIX":
      return namespace.startsWith(wanted);
    case "SUFFIX":
      return namespace.endsWith(wanted);
    default:
      return namespace === wanted;
  }
}

/** True when one of `conditions` holds; tests them in order up to that one. */
export async function anyHolds(properties: JsonObject, { holds }: ConditionScope): Promise<boolean> {
  const conditions = ownProperty(properties, "conditions");
  for (const condition of Array.isArray(conditions) ? conditions : []) {
    if (await holds(condition)) return true;
  }
  return false;
}
