/**
 * JSON with number kinds: an integer is a `number` (a `bigint` beyond 2^53), a decimal is a {@link Double},
 * so that `2.0` is still `2.0` after a round trip. Owns nothing else; names of members are data, never code.
 */

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

/** What flows, inputs and outputs are made of. Objects have own properties only: read them with {@link ownProperty}. */
export type JsonValue = null | boolean | number | bigint | string | Double | JsonValue[] | JsonObject;

/** A JSON object; its member names may be anything a user wrote, `__proto__` included. */
export interface JsonObject {
  [name: string]: JsonValue;
}

type RawJson = { rawJSON(text: string): unknown };
const rawJson = (JSON as unknown as RawJson).rawJSON;

/** JSON accepts no `1.0E10`; whole values print with `.0` up to 2^53, else in exponent form. */
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

/** True when a text may hold a number that plain `JSON.parse` would give the wrong kind or precision. */
const MAY_NEED_SOURCE = /\d[.eE]|\d{16}/;
/**
 * The same of a text for which that is true, but more often right: dates, versions and ids within texts are no numbers. Only
 * asked then: it takes as long as `JSON.parse`, a reviver nine times that.
 */
const HOLDS_NUMBER = /(?:^|[[,:\s])-?(?:\d+\.\d|\d+[eE]|\d{16})[\d.eE+-]*(?:[,\]}\s]|$)/;

/** Parses JSON text, keeping number kinds. @throws SyntaxError */
export function parseJson(text: string): JsonValue {
  const isPlain = !MAY_NEED_SOURCE.test(text) || !HOLDS_NUMBER.test(text);
  if (isPlain) return JSON.parse(text) as JsonValue;
  return JSON.parse(text, reviveNumber as (key: string, value: unknown) => unknown) as JsonValue;
}

/** The same of a text that may be anything; `undefined` where it is no JSON. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function reviveNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  if (!Number.isFinite(value)) throw new SyntaxError(`Number ${context.source.slice(0, 40)} is too large`);
  return numberOfSource(context.source, value);
}

/** The value of a number literal, by its spelling: with point or exponent a {@link Double}, else an integer. */
export function numberOfSource(source: string, value = Number(source)): number | bigint | Double {
  if (/[.eE]/.test(source)) return new Double(value);
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

/** Compact JSON text of a value; `bigint` prints as digits. `undefined` members are left out. */
export function stringifyJson(value: unknown, space?: number): string {
  try {
    return JSON.stringify(value, undefined, space);
  } catch (error) {
    // A bigint is the only reason for which the values above cannot be serialised; it is rare, the replacer slow.
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

/** The objects of a list; what else is in it, or is no list, is left out. */
export function objectsOf(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The own member of that name, else `undefined`; a prototype is never met. */
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
