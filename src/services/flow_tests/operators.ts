/** Operators of assertions. Values are compared as templates print them: `"200"` equals 200. */
import { Double, isJsonObject, jsonEquals, type JsonValue } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";

/** The names, in the order in which results are given. */
export const OPERATOR_NAMES = [
  "isNull",
  "isNotNull",
  "equalTo",
  "notEqualTo",
  "contains",
  "startsWith",
  "endsWith",
  "greaterThan",
  "greaterThanOrEqualTo",
  "lessThan",
  "lessThanOrEqualTo",
  "in",
  "notIn",
] as const;

/** The name of an operator. */
export type Operator = typeof OPERATOR_NAMES[number];

/** How an operator compares. */
interface Comparison {
  /** What is wrong with an expected value as it is written; `undefined` if nothing is. */
  problem?(expected: JsonValue): string | undefined;
  /** Whether it holds. @throws RangeError the values cannot be compared */
  holds(actual: JsonValue, expected: JsonValue): boolean;
}

/** By name. */
export const OPERATORS: ReadonlyMap<Operator, Comparison> = new Map<Operator, Comparison>([
  ["isNull", { problem: flagProblem, holds: (actual, expected) => (actual === null) === expected }],
  ["isNotNull", { problem: flagProblem, holds: (actual, expected) => (actual !== null) === expected }],
  ["equalTo", { holds: equals }],
  ["notEqualTo", { holds: (actual, expected) => !equals(actual, expected) }],
  ["contains", { holds: contains }],
  ["startsWith", { holds: (actual, expected) => printValue(actual).startsWith(printValue(expected)) }],
  ["endsWith", { holds: (actual, expected) => printValue(actual).endsWith(printValue(expected)) }],
  ["greaterThan", ordered((order) => order > 0)],
  ["greaterThanOrEqualTo", ordered((order) => order >= 0)],
  ["lessThan", ordered((order) => order < 0)],
  ["lessThanOrEqualTo", ordered((order) => order <= 0)],
  ["in", { problem: listProblem, holds: isIn }],
  ["notIn", { problem: listProblem, holds: (actual, expected) => !isIn(actual, expected) }],
]);

function flagProblem(expected: JsonValue): string | undefined {
  return typeof expected === "boolean" ? undefined : "must be true or false";
}

/** A text and another value are equal if they print the same. */
function equals(actual: JsonValue, expected: JsonValue): boolean {
  if (jsonEquals(actual, expected)) return true;
  if (actual === null || expected === null) return false;
  const hasText = typeof actual === "string" || typeof expected === "string";
  return hasText && printValue(actual) === printValue(expected);
}

/** A list contains an item, an object a name, any other value a part of its text. */
function contains(actual: JsonValue, expected: JsonValue): boolean {
  if (Array.isArray(actual)) return actual.some((item) => equals(item, expected));
  if (isJsonObject(actual)) return Object.hasOwn(actual, printValue(expected));
  return actual !== null && printValue(actual).includes(printValue(expected));
}

function ordered(accepts: (order: number) => boolean): Comparison {
  return {
    problem: (expected) => isNumeric(expected) ? undefined : "must be a number, or a template of one",
    holds: (actual, expected) => accepts(numberOf(actual) - numberOf(expected)),
  };
}

function isNumeric(value: JsonValue): boolean {
  return value instanceof Double || ["number", "bigint", "string"].includes(typeof value);
}

function numberOf(value: JsonValue): number {
  const text = value === null ? "" : printValue(value).trim();
  const number = text === "" ? NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new RangeError(`Cannot compare "${text.slice(0, 100)}": it is not a number`);
}

function listProblem(expected: JsonValue): string | undefined {
  return Array.isArray(expected) || typeof expected === "string"
    ? undefined
    : "must be a list, or a template of one";
}

function isIn(actual: JsonValue, expected: JsonValue): boolean {
  if (Array.isArray(expected)) return expected.some((item) => equals(actual, item));
  throw new RangeError("The expected value is not a list");
}
