/**
 * JSON with number kinds: an integer is a `number` (a `bigint` beyond 2^53), a decimal is a {@link Double},
 * so that `2.0` is still `2.0` after a round trip. Member names are data: prototypes are never read or set.
 */
import { type NumberReader, readJsonText } from "./json_reader.ts";

/** A decimal number that keeps its kind: `2.0` is not `2`. Serialised by `JSON.stringify` as it prints. */
export class Double {
  /** The numeric value, always finite. */
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  /** The Java form: `2.0`, `1.0E10`, `1.0E-4`. */
  toString(): string {
    return formatDouble(this.value);
  }

  /** Called by `JSON.stringify`; keeps the decimal point of whole values. */
  toJSON(): unknown {
    return Number.isInteger(this.value) ? rawJson(jsonNumberText(this.value)) : this.value;
  }
}

/** A decimal that prints with the digits that it was given, as `1.10`; it computes as the nearest {@link Double}. */
export class WrittenDecimal extends Double {
  readonly #text: string;

  /** `text` is a JSON number with a decimal point and without an exponent. */
  constructor(text: string) {
    super(Number(text));
    this.#text = text;
  }

  /** The digits. */
  override toString(): string {
    return this.#text;
  }

  /** Called by `JSON.stringify`. */
  override toJSON(): unknown {
    return rawJson(this.#text);
  }
}

/** Values of flows, inputs and outputs. Read members of objects with {@link ownProperty}. */
export type JsonValue = null | boolean | number | bigint | string | Double | JsonValue[] | JsonObject;

/** A JSON object; any member name is possible, even `__proto__`. */
export interface JsonObject {
  [name: string]: JsonValue;
}

type RawJson = { rawJSON(text: string): unknown };
const rawJson = (JSON as unknown as RawJson).rawJSON;

/** Whole values with `.0` below 10^15, else with an exponent: JSON does not allow `1.0E10`. */
function jsonNumberText(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  return Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
}

/** Prints a double as Java does: decimal notation for 10^-3 ≤ |value| < 10^7, else `d.dddE±n`. */
export function formatDouble(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return Number.isInteger(value) ? `${value}.0` : String(value);
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const digits = mantissa.includes(".") ? mantissa : `${mantissa}.0`;
  return `${digits}E${Number(exponent)}`;
}

/** The text may contain a number whose kind or precision `JSON.parse` would lose. */
const MAY_NEED_SOURCE = /\d[.eE]|\d{16}/;
/**
 * As {@link MAY_NEED_SOURCE}, but excludes dates, versions and ids within strings. Tested second: it takes as long as
 * `JSON.parse`; {@link readJsonText} takes three times that.
 */
const HOLDS_NUMBER = /(?:^|[[,:\s])-?(?:\d+\.\d|\d+[eE]|\d{16})[\d.eE+-]*(?:[,\]}\s]|$)/;

/** Whether the numbers of a JSON text are read one by one, which takes three times as long. */
export function hasNumberKinds(text: string): boolean {
  return MAY_NEED_SOURCE.test(text) && HOLDS_NUMBER.test(text);
}

/** Parses JSON text, keeping number kinds. @throws SyntaxError */
export function parseJson(text: string): JsonValue {
  if (!hasNumberKinds(text)) return JSON.parse(text) as JsonValue;
  return readJsonText(text, NUMBER_KINDS) as JsonValue;
}

/** As {@link parseJson}; `undefined` for a text that is not JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  return parsedBy(parseJson, text);
}

/** As {@link tryParseJson}, but numbers are as `JSON.parse` reads them: for vectors, with which one computes. */
export function tryParsePlainJson(text: string): JsonValue | undefined {
  return parsedBy(JSON.parse, text);
}

function parsedBy(parse: (text: string) => JsonValue, text: string): JsonValue | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Digits of an integer, as many as 4,096 bits have: reading and printing one takes quadratic time. Readers of other languages keep to it too, so that every stored value can be read. */
export const MAX_INTEGER_DIGITS = 1_234;

/** How numbers keep their kinds. */
export const NUMBER_KINDS: NumberReader = {
  fraction(value, source = "") {
    if (!Number.isFinite(value)) throw tooLarge(source);
    return new Double(value);
  },
  large(source) {
    if (source.length > MAX_INTEGER_DIGITS + 1) throw tooLarge(source);
    return numberOfSource(source);
  },
};

function tooLarge(source: string): SyntaxError {
  return new SyntaxError(`Number ${source.slice(0, 40)} is too large`);
}

/** The value of a number literal: with point or exponent a {@link Double}, else an integer. */
export function numberOfSource(source: string, value = Number(source)): number | bigint | Double {
  if (/[.eE]/.test(source)) return new Double(value);
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

/** As {@link numberOfSource}; of an integer that is too long the text itself. */
export function numberOrText(source: string): number | bigint | Double | string {
  return source.length > MAX_INTEGER_DIGITS + 1 && !/[.eE]/.test(source) ? source : numberOfSource(source);
}

/** Digits of the longest whole decimal of a database, BIGNUMERIC of BigQuery, and some more. */
const WHOLE_DECIMAL = /^-?\d{1,80}$/;

/** The value of a decimal; of one that a {@link Double} would cut an integer if it is whole, else the text itself. */
export function exactDecimal(text: string): Double | bigint | string {
  const value = Number(text);
  if (hasAllDigits(text, value)) return new Double(value);
  return WHOLE_DECIMAL.test(text) ? BigInt(text) : text;
}

/** Whether the number prints with all digits of the text; zeros at the ends do not count. */
export function hasAllDigits(text: string, value: number | bigint | Double): boolean {
  const digits = (number: string) =>
    number.replace(/e.*$/is, "").replace(/[^\d]/g, "").replace(/^0+|(?<!0)0+$/g, "");
  return digits(text) === digits(String(value));
}

/** Compact JSON text of a value; `bigint` prints as digits. `undefined` members are left out. */
export function stringifyJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, undefined, space);
  } catch (error) {
    // Only a bigint makes JSON.stringify throw here. It is rare, and a replacer is slow.
    if (!(error instanceof TypeError) || !error.message.includes("BigInt")) throw error;
    return JSON.stringify(
      value,
      (_key, item) => typeof item === "bigint" ? rawJson(item.toString()) : item,
      space,
    );
  }
}

/** True for an object that is neither null, nor a list, nor a {@link Double}. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Double);
}

/** The objects of a list, without its other items; empty for any other value. */
export function objectsOf(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The own member of that name, never one of a prototype. */
export function ownProperty(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets an own member, whatever its name (`__proto__` too). */
export function setOwnProperty(object: JsonObject, name: string, value: JsonValue): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** Deep equality of two values; numbers of different kinds are equal when their values are. */
export function jsonEquals(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  // A bigint and a number compare by value only with < and >.
  const x = numericValue(a), y = numericValue(b);
  if (x !== undefined || y !== undefined) return x !== undefined && y !== undefined && !(x < y) && !(x > y);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => jsonEquals(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && jsonEquals(a[name], b[name]));
}

function numericValue(value: JsonValue | undefined): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof Double ? value.value : undefined;
}
