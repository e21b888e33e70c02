/** The flows of executions that a Flow trigger reacts to, as far as its properties name them literally. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../flows/flow.ts";
import { ANY_FLOW, flowPattern, namespaceComparison, narrowest } from "./flow_patterns.ts";
import type { ConditionType, TriggerCatalog } from "./trigger_catalog.ts";

type Conditions = Pick<TriggerCatalog, "findCondition">;

const ANY: readonly string[] = Object.freeze([ANY_FLOW]);

/**
 * Patterns that match each flow of which an execution can fire the trigger or meet a part of it. An execution of another flow
 * makes a condition false, or meets no part.
 */
export function reactedFlows(properties: JsonObject, catalog: Conditions): readonly string[] {
  const conditions = ["conditions", "scheduleConditions"]
    .flatMap((name) => objectsOf(ownProperty(properties, name)));
  const isWindow = (condition: JsonObject) => typeOf(condition, catalog)?.form === "window";
  const demanded = conditions.filter((each) => !isWindow(each)).map((each) => flowsOf(each, catalog));
  const windows = conditions.filter(isWindow).map((each) => flowsOfParts(each, catalog));
  const preconditions = ownProperty(properties, "preconditions");
  if (isJsonObject(preconditions)) windows.push(flowsOfPreconditions(preconditions));
  const dependencies = ownProperty(properties, "dependsOn");
  if (Array.isArray(dependencies) && dependencies.length > 0) {
    windows.push(objectsOf(dependencies).map(namedFlow));
  }
  return narrowest(windows.length > 0 ? [...demanded, windows.flat()] : demanded);
}

function typeOf(condition: JsonObject, catalog: Conditions): ConditionType | undefined {
  return catalog.findCondition(canonicalType(String(ownProperty(condition, "type") ?? "")));
}

/** The flows of executions for which a condition can be true. */
function flowsOf(condition: JsonValue, catalog: Conditions): readonly string[] {
  if (!isJsonObject(condition)) return ANY;
  const namespace = literalOf(condition, "namespace");
  switch (typeOf(condition, catalog)?.type) {
    case "core.condition.ExecutionFlow":
      return [flowPattern({ namespace, id: literalOf(condition, "flowId") })];
    case "core.condition.ExecutionNamespace":
      return [flowPattern({ namespace }, namespaceComparison(condition))];
    case "core.condition.Or": {
      const alternatives = ownProperty(condition, "conditions");
      return Array.isArray(alternatives) ? alternatives.flatMap((each) => flowsOf(each, catalog)) : ANY;
    }
    default:
      return ANY;
  }
}

/** The text of a property that is rendered; `undefined` for any other value and for what may be an expression. */
function literalOf(properties: JsonObject, name: string): string | undefined {
  const value = ownProperty(properties, name);
  return typeof value === "string" && !value.includes("{") ? value : undefined;
}

/** The flows of executions that can meet a part of a MultipleCondition. */
function flowsOfParts(window: JsonObject, catalog: Conditions): readonly string[] {
  const parts = ownProperty(window, "conditions");
  return isJsonObject(parts) ? Object.values(parts).flatMap((part) => flowsOf(part, catalog)) : ANY;
}

function flowsOfPreconditions(preconditions: JsonObject): readonly string[] {
  const filters = objectsOf(ownProperty(preconditions, "where"));
  return [
    ...objectsOf(ownProperty(preconditions, "flows")).map(namedFlow),
    ...filters.flatMap((filter) => {
      const compared = objectsOf(ownProperty(filter, "filters")).map(comparedFlows);
      return ownProperty(filter, "operand") === "OR" ? compared.flat() : narrowest(compared);
    }),
  ];
}

/** The flow that an entry of `preconditions` or `dependsOn` names; nothing of these is rendered. */
function namedFlow(entry: JsonObject): string {
  return flowPattern({ namespace: nameIn(entry, "namespace"), id: nameIn(entry, "flowId") });
}

function nameIn(entry: JsonObject, name: string): string | undefined {
  const value = ownProperty(entry, name);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The flows for which a comparison of a filter can be true; nothing of it is rendered. */
function comparedFlows(comparison: JsonObject): readonly string[] {
  const field = ownProperty(comparison, "field"), value = ownProperty(comparison, "value");
  const values = ownProperty(comparison, "values");
  if (field !== "NAMESPACE" && field !== "FLOW_ID") return ANY;
  const equal = (text: string) => flowPattern(field === "NAMESPACE" ? { namespace: text } : { id: text });
  const type = ownProperty(comparison, "type");
  if (type === "IN") {
    const texts = Array.isArray(values) ? values.filter((each) => typeof each === "string") : [];
    return Array.isArray(values) && texts.length === values.length ? texts.map(equal) : ANY;
  }
  if (typeof value !== "string") return ANY;
  if (type === "EQUAL_TO") return [equal(value)];
  if (field === "FLOW_ID") return ANY;
  if (type === "STARTS_WITH") return [flowPattern({ namespace: value }, "PREFIX")];
  return type === "ENDS_WITH" ? [flowPattern({ namespace: value }, "SUFFIX")] : ANY;
}
