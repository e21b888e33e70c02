/** Numbers by a Java decimal pattern (`#,##0.00`, `0%`), rounded half to even on the exact binary value. */
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
  const scaled = typeof value === "bigint" ? value * BigInt(shape.scale) : toFloat(value) * shape.scale;
  const isNegative = scaled < 0 || Object.is(scaled, -0);
  const digits = isNegative ? -scaled : scaled;
  const body = shape.minExponent > 0 ? printScientific(Number(digits), shape) : printDigits(digits, shape);
  const [prefix, suffix] = isNegative ? shape.negative : [shape.prefix, shape.suffix];
  return prefix + body + suffix;
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

function printDigits(value: number | bigint, shape: DecimalPattern): string {
  const text = typeof value === "bigint" ? value.toString() : roundHalfEven(value, shape.maxFractions);
  const [whole = "0", fraction = ""] = text.split(".");
  let decimals = fraction.replace(/0+$/, "").padEnd(shape.minFractions, "0");
  if (shape.maxFractions === 0) decimals = "";
  let integers = whole.replace(/^0+/, "").padStart(shape.minIntegers, "0");
  if (integers === "" && decimals === "") integers = "0";
  if (shape.groupSize > 0) {
    integers = integers.replace(new RegExp(`\\B(?=(?:\\d{${shape.groupSize}})+$)`, "g"), ",");
  }
  return decimals === "" && !shape.showsPoint ? integers : `${integers}.${decimals}`;
}

/** As many integer digits as the pattern has zeros, or those above a multiple of its digits, and the power of ten that is left. */
function printScientific(value: number, shape: DecimalPattern): string {
  const { minIntegers, maxIntegers, minFractions, maxFractions } = shape;
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const print = (digits: number): string | undefined => {
    const power = maxIntegers > minIntegers
      ? Math.floor((digits - 1) / maxIntegers) * maxIntegers
      : digits - minIntegers;
    const integers = digits - power;
    const body = printDigits(Number(`${mantissa}e${Number(exponent) - power}`), {
      ...shape,
      minIntegers: integers,
      minFractions: Math.max(0, minIntegers + minFractions - integers),
      maxFractions: maxIntegers + maxFractions - integers,
    });
    if (body.split(".")[0]?.length !== integers) return undefined;
    return `${body}E${power < 0 ? "-" : ""}${String(Math.abs(power)).padStart(shape.minExponent, "0")}`;
  };
  const digits = value === 0 ? minIntegers : Number(exponent) + 1;
  return print(digits) ?? print(digits + 1) ?? ""; // 9.99 may round to 10
}

/** `toFixed` rounds ties up; further digits show whether it is an exact tie. */
function roundHalfEven(value: number, fractions: number): string {
  if (value >= 1e21) return BigInt(value).toString();
  const rounded = value.toFixed(fractions);
  const exact = value.toFixed(Math.min(100, fractions + 40));
  const rest = exact.slice(exact.indexOf(".") + 1 + fractions);
  const lastDigit = Number(rounded.at(-1));
  const isTie = /^50*$/.test(rest);
  if (!isTie || lastDigit % 2 === 0) return rounded;
  return exact.slice(0, exact.indexOf(".") + (fractions === 0 ? 0 : 1 + fractions));
}
