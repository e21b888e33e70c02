/** Numbers by a Java decimal pattern (`#,##0.00`, `0%`), rounded half to even on the exact value. */
import { Double, WrittenDecimal } from "../../base/json.ts";
import { fail, type NumberValue, toFloat } from "../../languages/values/mod.ts";

interface DecimalPattern {
  readonly prefix: string;
  readonly suffix: string;
  /** Affixes of negative numbers. */
  readonly negative: readonly [prefix: string, suffix: string];
  readonly minIntegers: number;
  /** Integer digits with an exponent: the exponent is a multiple of it if it is larger than `minIntegers`. */
  readonly maxIntegers: number;
  readonly minFractions: number;
  readonly maxFractions: number;
  /** The point is printed even if no fraction follows. */
  readonly showsPoint: boolean;
  /** Digits between group separators; 0 for none. */
  readonly groupSize: number;
  readonly scale: number;
  /** Least digits of the exponent; 0 without one. */
  readonly minExponent: number;
}

const MAX_FRACTIONS = 60;
const MAX_PATTERN_LENGTH = 200;
const AFFIX = "((?:'[^']*'|[^#0,.;'])*)";
const PATTERN = new RegExp(
  `^${AFFIX}([#,]*[0,]*)(?:\\.(0*#*))?(?:E(0+))?${AFFIX}(?:;${AFFIX}[#0,.]*${AFFIX})?$`,
);

/** A number by a pattern, with English separators. @throws ExpressionError `argument` */
export function formatDecimal(value: NumberValue, pattern: string): string {
  const match = pattern.length > MAX_PATTERN_LENGTH ? null : PATTERN.exec(pattern);
  if (!match || !/[#0]/.test(pattern)) fail("argument", `Cannot read the number pattern "${pattern}"`);
  const shape = readPattern(match);
  const decimal = decimalOf(value, shape.scale);
  const print = shape.minExponent > 0 ? printScientific : printDigits;
  const body = decimal ? print(decimal, shape) : "∞";
  const [prefix, suffix] = isNegative(value) ? shape.negative : [shape.prefix, shape.suffix];
  return prefix + body + suffix;
}

/** Only a binary decimal has a negative zero. */
function isNegative(value: NumberValue): boolean {
  const isBinary = value instanceof Double && !(value instanceof WrittenDecimal);
  return toFloat(value) < 0 || isBinary && Object.is(value.value, -0);
}

function readPattern(match: RegExpExecArray): DecimalPattern {
  const [, positive = "", , , exponent = "", end = ""] = match;
  const [integers, fractions] = withZero(match[2] ?? "", match[3]);
  const affixes = positive + end;
  if (fractions.length + (exponent === "" ? 0 : integers.length) > MAX_FRACTIONS) {
    fail("argument", `Cannot print more than ${MAX_FRACTIONS} fraction digits`);
  }
  if (exponent !== "" && !/^#*0+$/.test(integers)) {
    fail("argument", 'Cannot print an exponent after other integer digits than "0", or "#" and "0"');
  }
  const prefix = unquote(positive), suffix = unquote(end);
  const isEngineering = exponent !== "" && integers.startsWith("#");
  return {
    minExponent: exponent.length,
    prefix,
    suffix,
    negative: negativeAffixes(match, prefix, suffix),
    minIntegers: isEngineering ? 1 : integers.split("0").length - 1,
    maxIntegers: integers.length,
    minFractions: fractions.split("0").length - 1,
    maxFractions: fractions.length,
    showsPoint: match[3] === "",
    groupSize: integers.includes(",") ? integers.length - integers.lastIndexOf(",") - 1 : 0,
    scale: affixes.includes("%") ? 100 : affixes.includes("‰") ? 1000 : 1,
  };
}

/** Digits before and after a point: if none of them is `0`, the last before it is one, or else the first after it. */
function withZero(integers: string, fractions: string | undefined): readonly [string, string] {
  if (fractions === undefined || /0/.test(integers + fractions)) return [integers, fractions ?? ""];
  return integers.endsWith("#")
    ? [`${integers.slice(0, -1)}0`, fractions]
    : [integers, fractions.replace("#", "0")];
}

/** Those after the semicolon, unless they are the same as before it. */
function negativeAffixes(match: RegExpExecArray, prefix: string, suffix: string): [string, string] {
  const ownPrefix = unquote(match[6] ?? ""), ownSuffix = unquote(match[7] ?? "");
  const isOwn = match[6] !== undefined && (ownPrefix !== prefix || ownSuffix !== suffix);
  return isOwn ? [ownPrefix, ownSuffix] : [`-${prefix}`, suffix];
}

/** The text of a prefix or suffix; outside of quotes `¤` is the symbol of the currency, `¤¤` its code. */
function unquote(affix: string): string {
  return affix.replace(/''|'((?:[^']|'')*)'|¤¤?/g, (sign, quoted?: string) => {
    if (quoted !== undefined) return quoted.replaceAll("''", "'");
    return sign === "''" ? "'" : sign === "¤" ? "$" : "USD";
  });
}

/** The size of a number: `digits` × 10^-`scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
  /** Of a binary decimal, whose `digits` are the fewest that tell it from others: the first 100 digits, for its rounding. */
  readonly exact?: () => Decimal;
}

/** The size of a number times 1, 100 or 1000; `undefined` if it is not finite. */
function decimalOf(value: NumberValue, times: number): Decimal | undefined {
  if (!(value instanceof Double) || value instanceof WrittenDecimal) {
    const { digits, scale } = readDecimal(String(value));
    return { digits: digits * BigInt(times), scale };
  }
  const size = Math.abs(value.value * times);
  if (!Number.isFinite(size)) return undefined;
  return { ...readDecimal(String(size)), exact: () => readDecimal(size.toPrecision(100)) };
}

function readDecimal(text: string): Decimal {
  const [mantissa = "", exponent = "0"] = text.replace(/^-/, "").split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
}

function printDigits(value: Decimal, shape: DecimalPattern): string {
  const [whole, fraction] = roundHalfEven(value, shape.maxFractions);
  const decimals = fraction.replace(/(?<!0)0+$/, "").padEnd(shape.minFractions, "0");
  let integers = whole.replace(/^0+/, "").padStart(shape.minIntegers, "0");
  if (integers === "" && decimals === "") integers = "0";
  const body = shape.groupSize > 0 ? grouped(integers, shape.groupSize) : integers;
  return decimals === "" && !shape.showsPoint ? body : `${body}.${decimals}`;
}

function grouped(digits: string, size: number): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size) {
    groups.unshift(digits.slice(Math.max(0, end - size), end));
  }
  return groups.join(",");
}

/** As many integer digits as the pattern has zeros, or those above a multiple of its digits, and the power of ten that is left. */
function printScientific(value: Decimal, shape: DecimalPattern): string {
  const { minIntegers, maxIntegers, minFractions, maxFractions } = shape;
  const print = (digits: number): string | undefined => {
    const power = maxIntegers > minIntegers
      ? Math.floor((digits - 1) / maxIntegers) * maxIntegers
      : digits - minIntegers;
    const integers = digits - power;
    const body = printDigits(shifted(value, power), {
      ...shape,
      minIntegers: integers,
      minFractions: Math.max(0, minIntegers + minFractions - integers),
      maxFractions: maxIntegers + maxFractions - integers,
    });
    if (body.split(".")[0]?.length !== integers) return undefined;
    return `${body}E${power < 0 ? "-" : ""}${String(Math.abs(power)).padStart(shape.minExponent, "0")}`;
  };
  const digits = value.digits === 0n ? minIntegers : value.digits.toString().length - value.scale;
  return print(digits) ?? print(digits + 1) ?? ""; // 9.99 may round to 10
}

function shifted({ digits, scale, exact }: Decimal, power: number): Decimal {
  return { digits, scale: scale + power, exact: exact && (() => shifted(exact(), power)) };
}

/** The digits before and after the point. */
function roundHalfEven(value: Decimal, fractions: number): readonly [string, string] {
  const { digits, scale } = value.scale > fractions && value.exact ? value.exact() : value;
  const unit = 10n ** BigInt(Math.abs(fractions - scale));
  const isShort = scale <= fractions;
  let units = isShort ? digits * unit : digits / unit;
  const rest = isShort ? 0n : digits % unit * 2n;
  if (rest > unit || rest === unit && units % 2n === 1n) units++;
  const text = units.toString().padStart(fractions + 1, "0");
  return [text.slice(0, text.length - fractions), text.slice(text.length - fractions)];
}
