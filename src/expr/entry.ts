/** Types of filters, functions and tests; reading of arguments. */
import type { JsonValue } from "../base/json.ts";
import type { Context } from "./context.ts";
import { fail, joinText, kindOf, printValue } from "../languages/values/mod.ts";

/** Arguments in the order of the parameters; `undefined` when not given. */
export type Arguments = readonly (JsonValue | undefined)[];

/** Parameter names in order; the first `required` (default 0) must be given. */
export interface Callable {
  readonly parameters: readonly string[];
  readonly required?: number;
  /** Takes any number of positional arguments; `parameters` are the names by which they can be given instead. */
  readonly isVariadic?: boolean;
}

/** A filter. `apply` throws ExpressionError without position. */
export interface Filter extends Callable {
  /** The filtered value. */
  apply(input: JsonValue, args: Arguments, context: Context): JsonValue;
  /** The Java class of the filtered value, where the value does not tell it. */
  classOf?(input: JsonValue, args: Arguments, context: Context): JsonValue;
}

/** A built-in function. `call` throws ExpressionError without position. */
export interface BuiltInFunction extends Callable {
  /** The function's value. `isAuthored`: the author of the flow alone made the first argument; computed only where declared. */
  call(args: Arguments, context: Context, isAuthored: boolean): JsonValue;
  /** Whether `isAuthored` is computed. */
  readonly asksAuthor?: boolean;
}

/** A test on a value that is not undefined. */
export type Test = (value: JsonValue, context: Context) => boolean;

/** Entries of a table of filters. */
export type FilterEntry = readonly [name: string, filter: Filter];

/** Entries of a table of functions. */
export type FunctionEntry = readonly [name: string, definition: BuiltInFunction];

/** Makes a filter of a function on text; null stays null. */
type TextFilter = (
  shape: Callable,
  apply: (text: string, args: Arguments, context: Context) => JsonValue,
) => Filter;

function filterOn(textOf: (value: JsonValue, context: Context) => string): TextFilter {
  return (shape, apply) => ({
    ...shape,
    apply: (input, args, context) => input === null ? null : apply(textOf(input, context), args, context),
  });
}

/** A filter on text: numbers and booleans become texts. */
export const textFilter: TextFilter = filterOn(toText);

/** As {@link textFilter}, and lists and maps become the texts that `~` joins. */
export const joinedTextFilter: TextFilter = filterOn(joinText);

/** The text of a scalar. @throws ExpressionError `type` for null, lists and maps */
export function toText(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (value === null || Array.isArray(value)) {
    return fail("type", `Expected a string, found ${kindOf(value)}`);
  }
  const kind = kindOf(value);
  return kind === "a map" ? fail("type", "Expected a string, found a map") : printValue(value);
}

/** A text argument. @throws ExpressionError `argument` when it is missing or no scalar */
export function textArgument(value: JsonValue | undefined, name: string, fallback?: string): string {
  if ((value === undefined || value === null) && fallback !== undefined) return fallback;
  if (value === undefined || value === null || typeof value === "object" && kindOf(value) !== "a number") {
    return fail("argument", `Expected a string as argument "${name}"`);
  }
  return toText(value);
}

/** An integer argument. @throws ExpressionError `argument` when it is missing or no integer */
export function integerArgument(value: JsonValue | undefined, name: string, fallback?: number): number {
  if ((value === undefined || value === null) && fallback !== undefined) return fallback;
  return typeof value === "number" ? value : fail("argument", `Expected an integer as argument "${name}"`);
}

/** A boolean argument. @throws ExpressionError `argument` when it is neither missing nor a boolean */
export function booleanArgument(value: JsonValue | undefined, name: string, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback;
  return typeof value === "boolean" ? value : fail("argument", `Expected a boolean as argument "${name}"`);
}
