/** Filters that make and print numbers. */
import { Double, type JsonValue } from "../../base/json.ts";
import { type Arguments, type FilterEntry, textArgument } from "../entry.ts";
import { fail, isNumber, kindOf, negate, toFloat } from "../../languages/values/mod.ts";
import { formatDecimal } from "./decimal_pattern.ts";

/** Filters that make and print numbers; null stays null. */
export const NUMBER_FILTERS: readonly FilterEntry[] = [
  ["abs", { parameters: [], apply: absolute }],
  ["number", { parameters: ["type"], apply: toNumber }],
  ["numberFormat", { parameters: ["format"], apply: numberFormat }],
];

/** Java's default number pattern. */
const DEFAULT_FORMAT = "#,##0.###";
const MAX_NUMBER_LENGTH = 1200;
const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

type Read = (text: string) => JsonValue | undefined;

const TYPES: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["INT", (text) => integerWithin(text, 31n)],
  ["LONG", (text) => integerWithin(text, 63n)],
  ["BIGINTEGER", (text) => integerWithin(text, 4096n)],
  ["FLOAT", decimal],
  ["DOUBLE", decimal],
  ["BIGDECIMAL", (text) => integerWithin(text, 4096n) ?? decimal(text)],
]);

function integerWithin(text: string, bits: bigint): JsonValue | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  const limit = 1n << bits;
  if (value >= limit || value < -limit) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function decimal(text: string): JsonValue | undefined {
  const value = Number(text);
  return DECIMAL.test(text) && Number.isFinite(value) ? new Double(value) : undefined;
}

function toNumber(input: JsonValue, args: Arguments): JsonValue {
  if (input === null) return null;
  if (typeof input !== "string") {
    return fail("type", `Cannot read ${kindOf(input)} as a number: strings only`);
  }
  const text = input.trim();
  if (text.length > MAX_NUMBER_LENGTH) fail("argument", "Cannot read the text as a number: it is too long");
  const type = textArgument(args[0], "type", "");
  const read = TYPES.get(type);
  if (type !== "" && !read) {
    fail("argument", `Unknown number type "${type}": types are ${[...TYPES.keys()].join(", ")}`);
  }
  const value = read ? read(text) : integerWithin(text, 63n) ?? decimal(text);
  return value ?? fail("argument", `Cannot read "${input}" as a number`);
}

function absolute(input: JsonValue): JsonValue {
  if (input === null) return null;
  if (!isNumber(input)) return fail("type", `Cannot apply the filter "abs" to ${kindOf(input)}`);
  return toFloat(input) < 0 ? negate(input) : input;
}

function numberFormat(input: JsonValue, args: Arguments): JsonValue {
  if (input === null) return null;
  if (!isNumber(input)) return fail("type", `Cannot apply the filter "numberFormat" to ${kindOf(input)}`);
  return formatDecimal(input, textArgument(args[0], "format", DEFAULT_FORMAT));
}
