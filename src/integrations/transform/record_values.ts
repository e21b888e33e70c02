/** Values of records: numbers, texts and the types that a field may be given. */
import { Double, isJsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import { parseInstant } from "../../base/time/iso_8601.ts";
import { calculate, isInteger, isNumber, type NumberValue, toFloat } from "../../languages/values/mod.ts";

/** Types that a field may be given. */
export const FIELD_TYPES = ["STRING", "INT", "FLOAT", "DECIMAL", "BOOLEAN", "TIMESTAMP", "LIST", "STRUCT"];

/** Significant digits of a decimal: more would show how binary numbers are rounded, as in 0.1 + 0.2. */
const DECIMAL_DIGITS = 15;
/** Digits after the point of a quotient. */
const QUOTIENT_DIGITS = 10;
const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** A number, also from text. @throws Error another value */
export function numberFrom(value: JsonValue): NumberValue {
  if (isNumber(value)) return value;
  if (typeof value !== "string" || !NUMBER.test(value)) throw unexpected("a number", value);
  const parsed = Number(value);
  return Number.isSafeInteger(parsed) && !/[.eE]/.test(value) ? parsed : new Double(parsed);
}

/** A text, as expressions print values. */
export function textFrom(value: JsonValue): string {
  return typeof value === "string"
    ? value
    : value instanceof Double
    ? String(value.value)
    : stringifyJson(value);
}

/** A truth value, also from text. @throws Error another value */
export function flagFrom(value: JsonValue): boolean {
  if (typeof value === "boolean") return value;
  const text = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (text === "true" || text === "false") return text === "true";
  throw unexpected("a boolean", value);
}

/** The sum, difference, product or quotient; whole numbers stay whole, and a quotient of zero is null. @throws Error no numbers */
export function compute(operator: "+" | "-" | "*" | "/", left: JsonValue, right: JsonValue): JsonValue {
  if (left === null || right === null) return null;
  const a = numberFrom(left), b = numberFrom(right);
  if (operator === "/") {
    return toFloat(b) === 0 ? null : decimal(Number((toFloat(a) / toFloat(b)).toFixed(QUOTIENT_DIGITS)));
  }
  const result = calculate(operator, a, b);
  return result instanceof Double ? decimal(result.value) : result;
}

/** The mean of numbers. */
export function mean(total: JsonValue, count: number): JsonValue {
  return compute("/", total, count);
}

function decimal(value: number): NumberValue {
  if (!Number.isFinite(value)) throw new Error("Cannot compute: the result is not finite");
  const rounded = Number(value.toPrecision(DECIMAL_DIGITS));
  return Number.isSafeInteger(rounded) ? rounded : new Double(rounded);
}

/** The value with a type of {@link FIELD_TYPES}; null stays null. @throws Error it cannot have that type */
export function castTo(type: string, value: JsonValue): JsonValue {
  if (value === null) return null;
  switch (type) {
    case "STRING":
      return textFrom(value);
    case "INT":
      return integerFrom(value);
    case "FLOAT":
      return new Double(toFloat(numberFrom(value)));
    case "DECIMAL":
      return numberFrom(value);
    case "BOOLEAN":
      return flagFrom(value);
    case "TIMESTAMP":
      return timestampFrom(value);
    case "LIST":
      if (Array.isArray(value)) return value;
      throw unexpected("a list", value);
    default:
      if (isJsonObject(value)) return value;
      throw unexpected("a map", value);
  }
}

/** A whole number. @throws Error digits after the point would be lost */
export function integerFrom(value: JsonValue): JsonValue {
  const number = numberFrom(value);
  if (isInteger(number)) return number;
  const { value: float } = number as Double;
  if (Number.isSafeInteger(float)) return float;
  throw unexpected("a whole number", value);
}

/** An instant as ISO text in UTC; a number counts milliseconds since 1970. @throws Error no date */
export function timestampFrom(value: JsonValue): string {
  const at = isNumber(value) ? toFloat(value) : parseInstant(textFrom(value).trim().replace(" ", "T"));
  const date = new Date(at ?? NaN);
  if (Number.isNaN(date.getTime())) throw unexpected("a date", value);
  return date.toISOString().replace(".000Z", "Z");
}

/** Characters of a value in a message. */
const MAX_SHOWN_CHARS = 100;

function unexpected(expected: string, value: JsonValue): Error {
  const text = stringifyJson(value);
  const shown = text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
  return new Error(`Expected ${expected}, got ${shown}`);
}
