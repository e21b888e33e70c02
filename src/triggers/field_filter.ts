/** Filters of preconditions: comparisons of fields of an execution. */
import { type JsonObject, objectsOf, ownProperty } from "../base/json.ts";
import { isTruthyText } from "../base/text/truthy_text.ts";
import { Regex } from "../languages/regex/mod.ts";
import type { ConditionPart, ConditionScope } from "../model/triggers/trigger_catalog.ts";
import { textOf, textsOf } from "./conditions/properties.ts";

interface Wanted {
  readonly value: string;
  readonly values: readonly string[];
}

type Comparison = (text: string, wanted: Wanted) => boolean;

/** Ways to compare, by name. */
export const FILTER_TYPES: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ["EQUAL_TO", (text, { value }) => text === value],
  ["NOT_EQUAL_TO", (text, { value }) => text !== value],
  ["IN", (text, { values }) => values.includes(text)],
  ["NOT_IN", (text, { values }) => !values.includes(text)],
  ["IS_TRUE", (text) => isTruthyText(text)],
  ["IS_FALSE", (text) => !isTruthyText(text)],
  ["IS_NULL", (text) => text === ""],
  ["IS_NOT_NULL", (text) => text !== ""],
  ["STARTS_WITH", (text, { value }) => text.startsWith(value)],
  ["ENDS_WITH", (text, { value }) => text.endsWith(value)],
  ["REGEX", (text, { value }) => matches(value, text)],
  ["CONTAINS", (text, { value }) => text.includes(value)],
]);

const REGEX_MOVES = 1_000_000;

/** True when the pattern matches the whole text. @throws Error the pattern is invalid or takes too long */
function matches(pattern: string, text: string): boolean {
  const budget = { moves: REGEX_MOVES, maxLength: 0 };
  return new Regex(`\\A(?:${pattern})\\z`).find(text, 0, budget) !== undefined;
}

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
  const compare = FILTER_TYPES.get(textOf(comparison, "type"));
  const value = textOf(comparison, "value");
  const text = await fieldText(textOf(comparison, "field"), value, scope);
  if (!compare || text === undefined) return false;
  return compare(text, { value, values: textsOf(comparison, "values") ?? [] });
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
