/** Filters of preconditions: comparisons of fields of an execution. */
import { type JsonObject, objectsOf, ownProperty } from "../base/json.ts";
import { FIELD_COMPARISONS } from "../model/triggers/field_comparisons.ts";
import type { ConditionPart, ConditionScope } from "../model/triggers/trigger_catalog.ts";
import { textOf, textsOf } from "./conditions/properties.ts";

/** A filter: all of its comparisons hold, or one of them with `operand: OR`. */
export function filterPart(filter: JsonObject): ConditionPart {
  const comparisons = objectsOf(ownProperty(filter, "filters"));
  const isOr = textOf(filter, "operand") === "OR";
  return async (scope) => {
    for (const comparison of comparisons) {
      if (await holds(comparison, scope) === isOr) return isOr;
    }
    return !isOr;
  };
}

async function holds(comparison: JsonObject, scope: ConditionScope): Promise<boolean> {
  const compare = FIELD_COMPARISONS.get(textOf(comparison, "type"));
  const value = textOf(comparison, "value");
  const text = await fieldText(textOf(comparison, "field"), value, scope);
  if (!compare || text === undefined) return false;
  const wanted = { value, values: textsOf(comparison, "values") ?? [] };
  return compare(text, wanted, scope.patternBudget);
}

async function fieldText(field: string, value: string, scope: ConditionScope): Promise<string | undefined> {
  switch (field) {
    case "FLOW_ID":
      return scope.execution?.id;
    case "NAMESPACE":
      return scope.execution?.namespace;
    case "STATE":
      return scope.execution?.state;
    case "EXPRESSION":
      return await scope.text(value);
    default:
      return undefined;
  }
}
