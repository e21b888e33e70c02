/** Filters that make and print numbers. */
import { Double, hasAllDigits, type JsonValue, WrittenDecimal } from "../../base/json.ts";
import { type Arguments, type FilterEntry, textArgument } from "../entry.ts";
import { fail, isNumber, kindOf, negate, type NumberValue, toFloat } from "../../languages/values/mod.ts";
import { formatDecimal } from "./decimal_pattern.ts";

/** Filters that make and print numbers; null stays null. */
export const NUMBER_FILTERS: readonly FilterEntry[] = [
  ["abs", { parameters: [], apply: absolute }],
  ["number", {
    parameters: ["type"],
    apply: (input, args) => input === null ? null : readNumber(input, args).value,
    classOf: (input, args) => input === null ? null : readNumber(input, args).className,
  }],
  ["numberFormat", { parameters: ["format"], apply: numberFormat }],
];

/** Java's default number pattern. */
const DEFAULT_FORMAT = "#,##0.###";
const MAX_NUMBER_LENGTH = 1200;
const HEXADECIMAL = /^([+-]?)(?:0[xX]|#)([\da-fA-F]+)$/;
const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const DIGITS_WITH_POINT = /^([+-]?)(\d*)\.(\d+)$/;
/** Digits of the decimal text of a 32-bit number, at most. */
const FLOAT_DIGITS = 9;

/** A number, and the Java class that it would have. */
interface Reading {
  readonly value: NumberValue;
  readonly className: string;
}

type Read = (text: string) => Reading | undefined;

const INT = integerReader(31n, "java.lang.Integer");
const LONG = integerReader(63n, "java.lang.Long");
const BIG_INTEGER = integerReader(4096n, "java.math.BigInteger");
const FLOAT = decimalReader("java.lang.Float");
const DOUBLE = decimalReader("java.lang.Double");

const TYPES: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["INT", INT],
  ["LONG", LONG],
  ["BIGINTEGER", BIG_INTEGER],
  ["FLOAT", FLOAT],
  ["DOUBLE", DOUBLE],
  ["BIGDECIMAL", bigDecimal],
]);

function integerReader(bits: bigint, className: string): Read {
  const limit = 1n << bits;
  return (text) => {
    const [, sign, digits] = HEXADECIMAL.exec(text) ?? [];
    if (digits === undefined && !INTEGER.test(text)) return undefined;
    const size = digits === undefined ? BigInt(text.replace(/^\+/, "")) : BigInt(`0x${digits}`);
    const value = sign === "-" ? -size : size;
    if (value >= limit || value < -limit) return undefined;
    return { value: Number.isSafeInteger(Number(value)) ? Number(value) : value, className };
  };
}

/** Reads decimals; `d` or `f` may follow. */
function decimalReader(className: string): Read {
  return (text) => {
    const digits = text.replace(/[dDfF]$/, "");
    const value = Number(digits);
    return DECIMAL.test(digits) && Number.isFinite(value)
      ? { value: new Double(value), className }
      : undefined;
  };
}

/** A decimal without exponent keeps all its digits. */
function bigDecimal(text: string): Reading | undefined {
  const className = "java.math.BigDecimal";
  const reading = INTEGER.test(text) ? BIG_INTEGER(text) : DECIMAL.test(text) ? DOUBLE(text) : undefined;
  const [, sign, whole = "", fraction] = DIGITS_WITH_POINT.exec(text) ?? [];
  if (!reading || fraction === undefined) return reading && { ...reading, className };
  const digits = `${whole.replace(/^0+/, "") || "0"}.${fraction}`;
  const isNegative = sign === "-" && /[1-9]/.test(digits);
  return { value: new WrittenDecimal(isNegative ? `-${digits}` : digits), className };
}

/** The smallest class that holds the number of a text, or that of the letter after it: `l`, `f` or `d`. */
function anyNumber(text: string): Reading | undefined {
  if (INTEGER.test(text) || HEXADECIMAL.test(text)) return INT(text) ?? LONG(text) ?? BIG_INTEGER(text);
  const beforeLetter = text.slice(0, -1);
  switch (text.at(-1)?.toLowerCase()) {
    case "l":
      return INTEGER.test(beforeLetter) ? LONG(beforeLetter) ?? BIG_INTEGER(beforeLetter) : undefined;
    case "f":
      return FLOAT(text);
    case "d":
      return DOUBLE(text);
  }
  const reading = DOUBLE(text);
  if (!reading) return undefined;
  if (isFloat(toFloat(reading.value))) return FLOAT(text);
  return hasAllDigits(text, reading.value) ? reading : bigDecimal(text);
}

/** Whether a number of 32 bits prints as that of 64 bits. */
function isFloat(value: number): boolean {
  const float = Math.fround(value);
  for (let digits = 1; digits <= FLOAT_DIGITS; digits++) {
    const text = float.toPrecision(digits);
    if (Math.fround(Number(text)) === float) return Number(text) === value;
  }
  return false;
}

/** Reads the text of a number; a type that is unknown is as none. @throws ExpressionError `type`, `argument` */
function readNumber(input: JsonValue, args: Arguments): Reading {
  if (typeof input !== "string") {
    return fail("type", `Cannot read ${kindOf(input)} as a number: strings only`);
  }
  const text = input.trim();
  if (text.length > MAX_NUMBER_LENGTH) fail("argument", "Cannot read the text as a number: it is too long");
  const read = TYPES.get(textArgument(args[0], "type", "")) ?? anyNumber;
  return read(text) ?? fail("argument", `Cannot read "${input}" as a number`);
}

function absolute(input: JsonValue): JsonValue {
  if (input === null) return null;
  if (!isNumber(input)) return fail("type", `Cannot apply the filter "abs" to ${kindOf(input)}`);
  if (input instanceof Double) return input.value > 0 ? input : new Double(Math.abs(input.value));
  if (input >= 0) return input;
  const is64Bit = typeof input === "number" || BigInt.asIntN(64, input) === input;
  return is64Bit ? negate(input) : -input;
}

function numberFormat(input: JsonValue, args: Arguments): JsonValue {
  if (input === null) return null;
  if (!isNumber(input)) return fail("type", `Cannot apply the filter "numberFormat" to ${kindOf(input)}`);
  return formatDecimal(input, textArgument(args[0], "format", DEFAULT_FORMAT));
}
