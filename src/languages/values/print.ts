/** Values → text, as `{{ v }}` prints them and as `~` joins them. Null members are not printed. */
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import { fail } from "./errors.ts";
import { DEFAULT_LIMITS, MAX_VALUE_DEPTH, type StepCounter } from "./limits.ts";

const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

/** The text of a value as `{{ v }}` prints it: null as nothing, lists and maps as JSON. @throws ExpressionError `limit` */
export function printValue(value: JsonValue, counter?: StepCounter): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  return typeof value === "object" && !(value instanceof Double) ? jsonText(value, counter) : String(value);
}

/** JSON text of a value; members that are null are left out, elements are kept. @throws ExpressionError `limit` */
export function jsonText(value: JsonValue, counter?: StepCounter): string {
  const { hasNullMember, hasExponent } = measureValue(value, counter);
  return stringifyJson(hasNullMember || hasExponent ? printable(value) : value);
}

/** The text of a value as `~` joins it: null as nothing, lists as `[1, a]`, maps as `{k=v}`. @throws ExpressionError `limit` */
export function joinText(value: JsonValue, counter?: StepCounter): string {
  if (typeof value === "string") return value;
  if (value === null) return "";
  if (typeof value !== "object" || value instanceof Double) return String(value);
  measureValue(value, counter);
  return innerText(value);
}

function innerText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(innerText).join(", ")}]`;
  if (!isJsonObject(value)) return String(value);
  return `{${Object.entries(value).map(([name, item]) => `${name}=${innerText(item)}`).join(", ")}}`;
}

/** The kind of a value in error messages. */
export function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return "a string";
  if (typeof value === "boolean") return "a boolean";
  return isJsonObject(value) ? "a map" : "a number";
}

interface Measure {
  /** Number of values, including itself. */
  count: number;
  /** Characters and elements, about the length of the JSON text. */
  size: number;
  hasNullMember: boolean;
  /** A decimal prints with an exponent, unlike the platform's JSON. */
  hasExponent: boolean;
  readonly counter: StepCounter | undefined;
}

/**
 * Measures a value before it is processed: a list that is shared many times is small in memory and huge in print. Counts
 * a step for each 16 elements, 4 members and 256 characters while it does.
 * @throws ExpressionError `limit`
 */
export function measureValue(value: JsonValue, counter?: StepCounter): Measure {
  const measure: Measure = { count: 0, size: 0, hasNullMember: false, hasExponent: false, counter };
  visit(value, measure, 0);
  return measure;
}

function visit(value: JsonValue, measure: Measure, depth: number): void {
  measure.count++;
  measure.size += typeof value === "string" ? value.length + 2 : 2;
  if (measure.size > DEFAULT_LIMITS.maxOutputLength) {
    fail("limit", `Cannot print a value of more than ${DEFAULT_LIMITS.maxOutputLength} characters`);
  }
  if (typeof value !== "object" || value === null) {
    if (typeof value === "string" && value.length > 255) measure.counter?.spend(value.length >>> 8);
    return;
  }
  if (value instanceof Double) {
    if (!isPlainDecimal(value)) measure.hasExponent = true;
    return;
  }
  if (depth > MAX_VALUE_DEPTH) fail("limit", `Cannot print a value nested deeper than ${MAX_VALUE_DEPTH}`);
  if (Array.isArray(value)) {
    measure.counter?.spend(1 + (value.length >>> 4));
    for (const item of value) visit(item, measure, depth + 1);
    return;
  }
  const names = Object.keys(value);
  measure.counter?.spend(1 + (names.length >>> 2));
  for (const name of names) {
    const item = value[name] as JsonValue;
    if (item === null) measure.hasNullMember = true;
    measure.size += name.length + 2;
    visit(item, measure, depth + 1);
  }
}

/** True for a decimal that prints without an exponent. */
function isPlainDecimal({ value }: Double): boolean {
  const size = Math.abs(value);
  return value === 0 || size >= 1e-3 && size < 1e7;
}

/** A decimal that `JSON.stringify` prints as templates do. */
class PrintedDouble {
  readonly #text: string;

  constructor(value: Double) {
    this.#text = String(value);
  }

  /** Called by `JSON.stringify`. */
  toJSON(): unknown {
    return rawJson(this.#text);
  }
}

/** The value without null members, with printed decimals. */
function printable(value: JsonValue): unknown {
  if (value instanceof Double) return isPlainDecimal(value) ? value : new PrintedDouble(value);
  if (Array.isArray(value)) return value.map(printable);
  if (!isJsonObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const item = value[name] as JsonValue;
    if (item !== null) setOwnProperty(kept as JsonObject, name, printable(item) as JsonValue);
  }
  return kept;
}
