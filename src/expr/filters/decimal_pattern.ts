/** Numbers by a Java decimal pattern (`#,##0.00`, `0%`), rounded half to even on the exact binary value. */
import { fail, type NumberValue, toFloat } from "../../languages/values/mod.ts";

interface DecimalPattern {
  readonly prefix: string;
  readonly suffix: string;
  readonly minIntegers: number;
  readonly minFractions: number;
  readonly maxFractions: number;
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
  const isNegative = scaled < 0;
  const digits = isNegative ? -scaled : scaled;
  const body = shape.minExponent > 0 ? printScientific(Number(digits), shape) : printDigits(digits, shape);
  if (!isNegative || !/[1-9]/.test(body)) return shape.prefix + body + shape.suffix;
  return match[6] === undefined
    ? `-${shape.prefix}${body}${shape.suffix}`
    : unquote(match[6]) + body + unquote(match[7] ?? "");
}

function readPattern(match: RegExpExecArray): DecimalPattern {
  const [, prefix = "", integers = "", fractions = "", exponent = "", suffix = ""] = match;
  const affixes = prefix + suffix;
  if (fractions.length > MAX_FRACTIONS) {
    fail("argument", `Cannot print more than ${MAX_FRACTIONS} fraction digits`);
  }
  if (exponent !== "" && !/^0+$/.test(integers)) {
    fail("argument", 'Cannot print an exponent after other integer digits than "0"');
  }
  return {
    minExponent: exponent.length,
    prefix: unquote(prefix),
    suffix: unquote(suffix),
    minIntegers: integers.split("0").length - 1,
    minFractions: fractions.split("0").length - 1,
    maxFractions: fractions.length,
    groupSize: integers.includes(",") ? integers.length - integers.lastIndexOf(",") - 1 : 0,
    scale: affixes.includes("%") ? 100 : affixes.includes("‰") ? 1000 : 1,
  };
}

function unquote(affix: string): string {
  return affix.replace(/'([^']*)'/g, (_, text: string) => text || "'");
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
  return decimals === "" ? integers : `${integers}.${decimals}`;
}

/** As many integer digits as the pattern has zeros, and the power of ten that is left. */
function printScientific(value: number, shape: DecimalPattern): string {
  const scaled = (power: number) => printDigits(value / 10 ** power, shape);
  let power = value === 0 ? 0 : Math.floor(Math.log10(value)) - shape.minIntegers + 1;
  if (scaled(power).split(".")[0]?.length !== shape.minIntegers) power++; // 9.99 may round to 10
  const exponent = String(Math.abs(power)).padStart(shape.minExponent, "0");
  return `${scaled(power)}E${power < 0 ? "-" : ""}${exponent}`;
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
