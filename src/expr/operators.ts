/** Operators on values. The compiler handles evaluation order and missing values. */
import { Double, isJsonObject, type JsonValue } from "../base/json.ts";
import { includesText } from "../base/text/find_text.ts";
import type { Context } from "./context.ts";
import { areEqual, ValueSet } from "./equality.ts";
import {
  calculate,
  compareNumbers,
  fail,
  isNumber,
  joinText,
  kindOf,
  toFloat,
  wholeOf,
} from "../languages/values/mod.ts";
import { keysOf, weightOf } from "./weight.ts";

/** An operator on two values. @throws ExpressionError `type`, `arithmetic`, `limit` */
export type Operation = (left: JsonValue, right: JsonValue, context: Context) => JsonValue;

/** Operators that need both operands; the compiler has the others. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["+", add],
  ["-", subtract],
  ["*", (a, b) => calculate("*", a, b)],
  ["/", (a, b) => calculate("/", a, b)],
  ["%", (a, b) => calculate("%", a, b)],
  ["~", (a, b, context) => joined(joinText(a, context), joinText(b, context), context)],
  ["==", (a, b, context) => areEqual(a, b, context)],
  ["!=", (a, b, context) => !areEqual(a, b, context)],
  ["<", comparison("<", (order) => order < 0)],
  [">", comparison(">", (order) => order > 0)],
  ["<=", comparison("<=", (order) => order <= 0)],
  [">=", comparison(">=", (order) => order >= 0)],
  ["contains", contains],
  ["isIn", isIn],
  ["..", (a, b, context) => rangeOf({ from: a, to: b, step: 1 }, context)],
]);

/** Truth of a condition. @throws ExpressionError `type` for null, lists and maps */
export function isTruthy(value: JsonValue): boolean {
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return value !== "";
  if (isNumber(value)) return toFloat(value) !== 0;
  return fail("type", `Cannot use ${kindOf(value)} as a condition`);
}

/** Ends of a range, and the distance of its elements. */
interface Range<T> {
  readonly from: T;
  readonly to: T;
  readonly step: number;
}

/** Inclusive list of integers (decimals are truncated) or characters; empty when the step leads away from the end. @throws ExpressionError `type`, `limit` */
export function rangeOf({ from, to, step }: Range<JsonValue>, context: Context): JsonValue[] {
  const start = wholeOf(from), end = wholeOf(to);
  if (start !== undefined && end !== undefined) {
    return numbersBetween({ from: start, to: end, step }, context);
  }
  const first = codeOf(from), last = codeOf(to);
  if (first === undefined || last === undefined) {
    fail(
      "type",
      `Cannot make a range from ${kindOf(from)} to ${kindOf(to)}: integers or single characters only`,
    );
  }
  return numbersBetween({ from: first, to: last, step }, context).map((code) => String.fromCodePoint(code));
}

function codeOf(value: JsonValue): number | undefined {
  if (typeof value !== "string") return undefined;
  const code = value.codePointAt(0);
  return code !== undefined && String.fromCodePoint(code) === value ? code : undefined;
}

function numbersBetween({ from, to, step }: Range<number>, context: Context): number[] {
  if (step === 0) fail("argument", "Cannot make a range: the increment is 0");
  const length = Math.max(0, Math.floor((to - from) / step) + 1);
  const { maxRangeLength } = context.limits;
  if (length > maxRangeLength) fail("limit", `Cannot make a range of more than ${maxRangeLength} elements`);
  context.spend(length >>> 4);
  return Array.from({ length }, (_, index) => from + index * step);
}

function add(a: JsonValue, b: JsonValue, context: Context): JsonValue {
  if (a !== null && b !== null) {
    if (typeof a === "string" || typeof b === "string") {
      return joined(joinText(a, context), joinText(b, context), context);
    }
    if (Array.isArray(a)) return checkedList(a.concat(b), context);
  }
  return calculate("+", a, b);
}

function joined(a: string, b: string, context: Context): string {
  context.checkLength(a.length + b.length);
  context.spend(weightOf(a) + weightOf(b));
  return a + b;
}

function checkedList(list: JsonValue[], context: Context): JsonValue[] {
  context.checkLength(list.length);
  context.spend(weightOf(list));
  return list;
}

function subtract(a: JsonValue, b: JsonValue, context: Context): JsonValue {
  if (!Array.isArray(a) || b === null) return calculate("-", a, b);
  const removed = new ValueSet(context, Array.isArray(b) ? b : [b]);
  return a.filter((item) => !removed.has(item));
}

function comparison(operator: string, test: (order: number) => boolean): Operation {
  return (a, b) => {
    if (a === null || b === null) return false;
    if (isNumber(a) && isNumber(b)) return test(compareNumbers(a, b));
    // Existing flows rely on this failure, for example of conditions that compare dates as texts.
    return fail("type", `Cannot apply "${operator}" to ${kindOf(a)} and ${kindOf(b)}`);
  };
}

function contains(container: JsonValue, sought: JsonValue, context: Context): boolean {
  if (container === null) return false;
  if (typeof container === "string") {
    if (sought === null) return false;
    const text = joinText(sought, context);
    context.spend(weightOf(container) + weightOf(text));
    return includesText(container, text);
  }
  if (Array.isArray(container)) {
    if (Array.isArray(sought)) {
      const held = new ValueSet(context, container);
      return sought.every((one) => held.has(one));
    }
    context.spend(container.length);
    return container.some((item) => areEqual(item, sought, context));
  }
  if (isJsonObject(container)) return sought !== null && Object.hasOwn(container, joinText(sought, context));
  return fail("type", `Cannot apply "contains" to ${kindOf(container)}`);
}

function isIn(value: JsonValue, container: JsonValue, context: Context): boolean {
  if (value === null || container === null || typeof container !== "object" || container instanceof Double) {
    return false;
  }
  const text = joinText(value, context);
  const isSame = (item: JsonValue) => areEqual(joinText(item, context), text, context);
  if (Array.isArray(container)) {
    context.spend(container.length);
    return container.some(isSame);
  }
  const names = keysOf(container, context);
  context.spend(2 * names.length);
  return names.some(isSame) || names.some((name) => isSame(container[name] as JsonValue));
}
