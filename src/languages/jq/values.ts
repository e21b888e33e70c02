/** Values in jq: kinds, order, numbers, and their texts in errors. */
import { Double, isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../base/json.ts";
import { fail, isNumber, MAX_VALUE_DEPTH, measureValue, type NumberValue, toFloat } from "../values/mod.ts";
import { raise } from "./errors.ts";

/** Whole results up to here are integers. */
const MAX_WHOLE = 1e17;
/** Characters of a value that an error shows. */
const PREVIEW_LENGTH = 11;

/** Listing and sorting the names of a large map takes about a microsecond each. */
const MOVES_PER_SORTED_NAME = 8;

/** Measuring, copying and printing a value takes some 200 ns. */
const MOVES_PER_VALUE = 2;

/** The result of `type`. */
export function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isNumber(value)) return "number";
  return typeof value;
}

/** False for false and null only. */
export function isTruthy(value: JsonValue): boolean {
  return value !== false && value !== null;
}

/** The value of a computed number: an integer when whole. May be NaN or infinite, see {@link finite}. */
export function fromFloat(value: number): NumberValue {
  if (!Number.isInteger(value)) return new Double(value);
  if (Number.isSafeInteger(value)) return value + 0;
  return Math.abs(value) <= MAX_WHOLE ? BigInt(value) : new Double(value);
}

/** A copy in which NaN is null and infinity the largest number. */
export function finite(value: JsonValue, depth = 0): JsonValue {
  if (value instanceof Double) return finiteNumber(value);
  if (typeof value !== "object" || value === null) return value;
  checkDepth(depth);
  if (Array.isArray(value)) return value.map((item) => finite(item, depth + 1));
  const entries = Object.entries(value).map(([name, item]) => [name, finite(item, depth + 1)] as const);
  return Object.fromEntries(entries) as JsonObject;
}

function finiteNumber(number: Double): JsonValue {
  const { value } = number;
  if (Number.isNaN(value)) return null;
  return Number.isFinite(value) ? number : new Double(Math.sign(value) * Number.MAX_VALUE);
}

/** JSON text as jq prints it. A meter counts the values; the caller counts the length. @throws ExpressionError `limit` */
export function toJson(value: JsonValue, meter?: Meter): string {
  if (typeof value === "string" || typeof value === "number") return JSON.stringify(value);
  const { count } = measureValue(value);
  meter?.spend(MOVES_PER_VALUE * count);
  return stringifyJson(finite(value));
}

/** Texts as they are, others as {@link toJson} prints them. @throws ExpressionError `limit` */
export function toDisplay(value: JsonValue, meter?: Meter): string {
  return typeof value === "string" ? value : toJson(value, meter);
}

/** Checks the depth of a value. @throws ExpressionError `limit` */
export function checkDepth(depth: number): void {
  if (depth > MAX_VALUE_DEPTH) {
    fail("limit", `Cannot use a value nested deeper than ${MAX_VALUE_DEPTH} in jq`);
  }
}

/** Counts work in moves. */
export interface Meter {
  /** Counts work. @throws ExpressionError `limit` */
  spend(moves: number): void;
}

/** Negative, zero or positive by jq's order: null, false, true, numbers, texts, lists, maps. NaN is below itself. */
export function compareValues(a: JsonValue, b: JsonValue, meter: Meter): number {
  return compareAt(a, b, { meter, depth: 0 });
}

/** Depth of a comparison, and its meter. */
interface Comparison {
  readonly meter: Meter;
  readonly depth: number;
}

function compareAt(a: JsonValue, b: JsonValue, { meter, depth }: Comparison): number {
  const rank = rankOf(a), other = rankOf(b);
  if (rank !== other) return rank - other;
  if (isNumber(a) && isNumber(b)) return compareJqNumbers(a, b);
  if (typeof a === "string" && typeof b === "string") {
    meter.spend(Math.min(a.length, b.length) >>> 5);
    return compareTexts(a, b);
  }
  checkDepth(depth);
  const within = { meter, depth: depth + 1 };
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b, within);
  if (isJsonObject(a) && isJsonObject(b)) return compareMaps(a, b, within);
  return 0;
}

function rankOf(value: JsonValue): number {
  if (value === null) return 0;
  if (typeof value === "boolean") return value ? 2 : 1;
  if (typeof value === "string") return 4;
  if (Array.isArray(value)) return 5;
  return isNumber(value) ? 3 : 6;
}

function compareJqNumbers(a: NumberValue, b: NumberValue): number {
  const x = a instanceof Double ? a.value : a, y = b instanceof Double ? b.value : b;
  if (x < y || Number.isNaN(x)) return -1;
  return x > y || Number.isNaN(y) ? 1 : 0;
}

/** By code points: the platform compares code units. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at), y = b.charCodeAt(at);
    if (x === y) continue;
    const isPair = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;
    return isPair(x) === isPair(y) ? x - y : isPair(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function compareLists(a: readonly JsonValue[], b: readonly JsonValue[], within: Comparison): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    within.meter.spend(1);
    const order = compareAt(a[at] as JsonValue, b[at] as JsonValue, within);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareMaps(a: JsonObject, b: JsonObject, within: Comparison): number {
  const names = sortedNames(a), others = sortedNames(b);
  within.meter.spend(MOVES_PER_SORTED_NAME * (names.length + others.length));
  const order = compareLists(names, others, within);
  if (order !== 0) return order;
  for (const name of names) {
    const of = compareAt(a[name] as JsonValue, b[name] as JsonValue, within);
    if (of !== 0) return of;
  }
  return 0;
}

/** The names of a map in jq's order. */
export function sortedNames(map: JsonObject): string[] {
  return Object.keys(map).sort(compareTexts);
}

/** The number as the platform computes with it. @throws JqError for other values */
export function floatOf(value: JsonValue): number {
  return isNumber(value) ? toFloat(value) : raise(`${describe(value)} number required`);
}

/** Kind and beginning of a value, for errors: `string ("abc")`. */
export function describe(value: JsonValue): string {
  return `${typeName(value)} (${preview(value)})`;
}

/** The beginning of the JSON text of a value. */
export function preview(value: JsonValue): string {
  const text = beginning(value, 0);
  return text.length <= PREVIEW_LENGTH ? text : `${text.slice(0, PREVIEW_LENGTH - 1)}...`;
}

/** Caches the first names of large maps: listing all takes milliseconds, and errors may repeat. */
const firstNames = new WeakMap<JsonObject, readonly string[]>();

function firstNamesOf(map: JsonObject): readonly string[] {
  const known = firstNames.get(map);
  if (known) return known;
  const names = Object.keys(map);
  const first = names.slice(0, PREVIEW_LENGTH);
  // Maps are immutable once a program has seen them.
  if (names.length > PREVIEW_LENGTH) firstNames.set(map, first);
  return first;
}

function beginning(value: JsonValue, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, PREVIEW_LENGTH + 1));
  if (value instanceof Double && !Number.isFinite(value.value)) return beginning(finiteNumber(value), depth);
  if (typeof value !== "object" || value === null || value instanceof Double) return stringifyJson(value);
  if (depth > PREVIEW_LENGTH) return "[";
  const entries = Array.isArray(value)
    ? value.slice(0, PREVIEW_LENGTH).map((item) => beginning(item, depth + 1))
    : firstNamesOf(value).map((name) =>
      `${beginning(name, depth)}:${beginning(value[name] as JsonValue, depth + 1)}`
    );
  return Array.isArray(value) ? `[${entries.join(",")}]` : `{${entries.join(",")}}`;
}
