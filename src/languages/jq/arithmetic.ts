/** The operators of jq on values. Whole results are integers, whatever the kinds of the operands. */
import { splitByText } from "../../base/text/find_text.ts";
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import { isInteger, isNumber, type NumberValue, toFloat } from "../values/mod.ts";
import type { Operator } from "./ast.ts";
import type { Machine } from "./code.ts";
import { raise } from "./errors.ts";
import { checkDepth, compareValues, describe, fromFloat } from "./values.ts";

const MAX_INT64 = 2n ** 63n - 1n;

/** An operator on two values. @throws JqError, ExpressionError `limit` */
export type Operation = (left: JsonValue, right: JsonValue, machine: Machine) => JsonValue;

/** The operators that take two values. */
export const OPERATIONS: ReadonlyMap<Operator, Operation> = new Map<Operator, Operation>([
  ["+", add],
  ["-", subtract],
  ["*", multiply],
  ["/", divide],
  ["%", modulo],
  ["==", (a, b, machine) => compareValues(a, b, machine) === 0],
  ["!=", (a, b, machine) => compareValues(a, b, machine) !== 0],
  ["<", (a, b, machine) => compareValues(a, b, machine) < 0],
  ["<=", (a, b, machine) => compareValues(a, b, machine) <= 0],
  [">", (a, b, machine) => compareValues(a, b, machine) > 0],
  [">=", (a, b, machine) => compareValues(a, b, machine) >= 0],
]);

function refuse(a: JsonValue, b: JsonValue, what: string): never {
  return raise(`${describe(a)} and ${describe(b)} cannot be ${what}`);
}

/** `a + b`: adds numbers, concatenates texts and lists, merges maps; null adds nothing. */
export function add(a: JsonValue, b: JsonValue, machine: Machine): JsonValue {
  if (a === null) return b;
  if (b === null) return a;
  if (isNumber(a) && isNumber(b)) return calculate(a, b, SUM);
  if (typeof a === "string" && typeof b === "string") {
    machine.spendText(a.length + b.length);
    return a + b;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    machine.spendElements(a.length + b.length);
    return a.concat(b);
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return refuse(a, b, "added");
  const names = Object.keys(b);
  const sum = { ...a };
  machine.spend(Object.keys(sum).length + names.length);
  for (const name of names) setOwnProperty(sum, name, b[name] as JsonValue);
  return sum;
}

function subtract(a: JsonValue, b: JsonValue, machine: Machine): JsonValue {
  if (isNumber(a) && isNumber(b)) return calculate(a, b, DIFFERENCE);
  if (!Array.isArray(a) || !Array.isArray(b)) return refuse(a, b, "subtracted");
  machine.spend(a.length * b.length);
  return a.filter((item) => !b.some((other) => compareValues(item, other, machine) === 0));
}

function multiply(a: JsonValue, b: JsonValue, machine: Machine): JsonValue {
  if (isNumber(a) && isNumber(b)) return calculate(a, b, PRODUCT);
  if (typeof a === "string" && isNumber(b)) return repeated(a, toFloat(b), machine);
  if (isNumber(a) && typeof b === "string") return repeated(b, toFloat(a), machine);
  if (isJsonObject(a) && isJsonObject(b)) return merge(a, b, { machine, depth: 0 });
  return refuse(a, b, "multiplied");
}

function repeated(text: string, count: number, machine: Machine): JsonValue {
  if (!(count > 0)) return null;
  const times = Math.max(1, Math.trunc(count));
  machine.spendText(text.length * times);
  return text === "" ? "" : text.repeat(times);
}

function merge(a: JsonObject, b: JsonObject, at: { machine: Machine; depth: number }): JsonObject {
  checkDepth(at.depth);
  const merged = { ...a };
  const names = Object.keys(b);
  at.machine.spend(Object.keys(merged).length + names.length);
  for (const name of names) {
    const old = ownProperty(a, name), item = b[name] as JsonValue;
    const isDeep = isJsonObject(old) && isJsonObject(item);
    setOwnProperty(merged, name, isDeep ? merge(old, item, { ...at, depth: at.depth + 1 }) : item);
  }
  return merged;
}

function divide(a: JsonValue, b: JsonValue, machine: Machine): JsonValue {
  if (typeof a === "string" && typeof b === "string") return splitText(a, b, machine);
  if (!isNumber(a) || !isNumber(b)) return refuse(a, b, "divided");
  if (toFloat(b) === 0) return refuse(a, b, "divided because the divisor is zero");
  if (typeof a === "bigint" && isInteger(b) && a % BigInt(b) === 0n) return integerOf(a / BigInt(b));
  return fromFloat(toFloat(a) / toFloat(b));
}

/** The parts of a text between separators; without one, its characters. */
export function splitText(text: string, separator: string, machine: Machine): JsonValue {
  machine.spendText(text.length * 4);
  if (text === "") return [];
  return separator === "" ? [...text] : splitByText(text, separator);
}

function modulo(a: JsonValue, b: JsonValue): JsonValue {
  if (!isNumber(a) || !isNumber(b)) return refuse(a, b, "divided");
  const x = truncated(a), y = truncated(b);
  if (x === undefined || y === undefined) return new Double(NaN);
  if (y === 0n) return refuse(a, b, "divided (remainder) because the divisor is zero");
  return integerOf(x % y);
}

/** The truncated number; infinity is the largest 64-bit integer, NaN `undefined`. */
function truncated(value: NumberValue): bigint | undefined {
  if (!(value instanceof Double)) return BigInt(value);
  if (Number.isNaN(value.value)) return undefined;
  if (!Number.isFinite(value.value)) return value.value > 0 ? MAX_INT64 : -MAX_INT64;
  return BigInt(Math.trunc(value.value));
}

interface Arithmetic {
  readonly floats: (a: number, b: number) => number;
  readonly integers: (a: bigint, b: bigint) => bigint;
}

const SUM: Arithmetic = { floats: (a, b) => a + b, integers: (a, b) => a + b };
const DIFFERENCE: Arithmetic = { floats: (a, b) => a - b, integers: (a, b) => a - b };
const PRODUCT: Arithmetic = { floats: (a, b) => a * b, integers: (a, b) => a * b };

/** Exact between integers of up to 64 bits, else as floats. */
function calculate(a: NumberValue, b: NumberValue, { floats, integers }: Arithmetic): NumberValue {
  const result = floats(toFloat(a), toFloat(b));
  if (a instanceof Double || b instanceof Double) return fromFloat(result);
  return Number.isSafeInteger(result) ? result + 0 : integerOf(integers(BigInt(a), BigInt(b)));
}

function integerOf(value: bigint): NumberValue {
  const small = Number(value);
  if (Number.isSafeInteger(small)) return small;
  return value <= MAX_INT64 && value >= -MAX_INT64 - 1n ? value : fromFloat(small);
}

/** `-value`. @throws JqError */
export function negate(value: JsonValue): JsonValue {
  if (!isNumber(value)) return raise(`${describe(value)} cannot be negated`);
  return value instanceof Double ? fromFloat(-value.value) : calculate(0, value, DIFFERENCE);
}
