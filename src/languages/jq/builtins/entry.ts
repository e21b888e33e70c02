/** Types of functions, and reading of their arguments. */
import type { JsonValue } from "../../../base/json.ts";
import type { Code, Machine } from "../code.ts";
import { raise } from "../errors.ts";
import { describe } from "../values.ts";

/** A function of values. @throws JqError, ExpressionError `limit` */
export type ValueFunction = (input: JsonValue, args: readonly JsonValue[], machine: Machine) => JsonValue;

/** Entries of a table of functions, by `name/arity`. */
export type FunctionEntry = readonly [key: string, fn: ValueFunction];

/** A function whose arguments are code. */
export type Combinator = (args: readonly Code[]) => Code;

/** A list. @throws JqError `… cannot be <cannot>` for another value */
export function listOf(value: JsonValue, cannot: string): JsonValue[] {
  return Array.isArray(value)
    ? value
    : raise(`${describe(value)} cannot be ${cannot}, as it is not an array`);
}

/** A text. @throws JqError with that message for another value */
export function textOf(value: JsonValue | undefined, message: string): string {
  return typeof value === "string" ? value : raise(message);
}
