/** Functions on numbers, as in C. */
import { Double, type JsonValue } from "../../../base/json.ts";
import { isInteger, isNumber } from "../../values/mod.ts";
import { raise } from "../errors.ts";
import { describe, floatOf, fromFloat } from "../values.ts";
import type { FunctionEntry } from "./entry.ts";

const SMALLEST_NORMAL = 2 ** -1022;
/** Coefficients of Lanczos' approximation with g = 7. */
const LANCZOS_G = 7;
const LANCZOS = [
  0.99999999999980993,
  676.5203681218851,
  -1259.1392167224028,
  771.32342877765313,
  -176.61502916214059,
  12.507343278686905,
  -0.13857109526572012,
  9.9843695780195716e-6,
  1.5056327351493116e-7,
];

type Unary = (x: number) => number;

const UNARY: readonly (readonly [string, Unary])[] = [
  ["sqrt", Math.sqrt],
  ["cbrt", Math.cbrt],
  ["exp", Math.exp],
  ["exp2", (x) => 2 ** x],
  ["exp10", (x) => 10 ** x],
  ["pow10", (x) => 10 ** x],
  ["expm1", Math.expm1],
  ["log", Math.log],
  ["log2", Math.log2],
  ["log10", Math.log10],
  ["log1p", Math.log1p],
  ["sin", Math.sin],
  ["cos", Math.cos],
  ["tan", Math.tan],
  ["asin", Math.asin],
  ["acos", Math.acos],
  ["atan", Math.atan],
  ["sinh", Math.sinh],
  ["cosh", Math.cosh],
  ["tanh", Math.tanh],
  ["asinh", Math.asinh],
  ["acosh", Math.acosh],
  ["atanh", Math.atanh],
  ["rint", toEven],
  ["nearbyint", toEven],
  ["significand", (x) => x === 0 || !Number.isFinite(x) ? x : x / 2 ** exponentOf(x)],
  ["logb", (x) => x === 0 ? -Infinity : Number.isFinite(x) ? exponentOf(x) : Math.abs(x)],
  ["gamma", logGamma],
  ["lgamma", logGamma],
  ["lgamma_r", logGamma],
  ["tgamma", gamma],
];

/** Rounding; integers are unchanged. */
const ROUNDING: readonly (readonly [string, Unary])[] = [
  ["floor", Math.floor],
  ["ceil", Math.ceil],
  ["trunc", Math.trunc],
  ["round", (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5)],
  ["fabs", Math.abs],
];

const BINARY: readonly (readonly [string, (x: number, y: number) => number])[] = [
  ["pow", (x, y) => x === 1 ? 1 : x ** y],
  ["atan2", Math.atan2],
  ["fmod", (x, y) => x % y],
  ["fmin", (x, y) => Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y)],
  ["fmax", (x, y) => Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y)],
  ["fdim", (x, y) => x > y ? x - y : 0],
  ["hypot", Math.hypot],
  ["ldexp", (x, y) => x * 2 ** y],
  ["scalb", (x, y) => x * 2 ** y],
  ["scalbln", (x, y) => x * 2 ** y],
  ["copysign", (x, y) => Math.abs(x) * (y < 0 || Object.is(y, -0) ? -1 : 1)],
  ["drem", remainder],
];

/** Functions on numbers. */
export const MATH_FUNCTIONS: readonly FunctionEntry[] = [
  ...UNARY.map(([name, fn]): FunctionEntry => [`${name}/0`, (value) => fromFloat(fn(floatOf(value)))]),
  ...ROUNDING.map(([name, fn]): FunctionEntry => [
    `${name}/0`,
    (value) => name !== "fabs" && isInteger(value) ? value : fromFloat(fn(floatOf(value))),
  ]),
  ...BINARY.map(([name, fn]): FunctionEntry => [
    `${name}/2`,
    (_, [x = null, y = null]) => fromFloat(fn(floatOf(x), floatOf(y))),
  ]),
  ["fma/3", (_, [x = null, y = null, z = null]) => fromFloat(floatOf(x) * floatOf(y) + floatOf(z))],
  ["abs/0", (value) => isNumber(value) ? absolute(value) : raise(`${describe(value)} has no absolute value`)],
  ["frexp/0", (value) => frexp(floatOf(value))],
  ["modf/0", (value) => modf(floatOf(value))],
  ["nan/0", () => new Double(NaN)],
  ["infinite/0", () => new Double(Infinity)],
  ["isnan/0", (value) => Number.isNaN(floatOf(value))],
  ["isinfinite/0", (value) => Math.abs(floatOf(value)) === Infinity],
  ["isnormal/0", (value) => {
    const size = Math.abs(floatOf(value));
    return size >= SMALLEST_NORMAL && size < Infinity;
  }],
];

function absolute(value: number | bigint | Double): JsonValue {
  if (value instanceof Double) return value.value < 0 ? fromFloat(-value.value) : value;
  return value < 0 ? -value : value;
}

/** Rounds to the nearest integer, half to even. */
function toEven(x: number): number {
  const low = Math.floor(x), rest = x - low;
  if (rest !== 0.5) return Math.round(x);
  return low % 2 === 0 ? low : low + 1;
}

function exponentOf(x: number): number {
  let exponent = Math.floor(Math.log2(Math.abs(x)));
  // The logarithm is rounded and may be off by one.
  while (Math.abs(x) < 2 ** exponent) exponent--;
  while (Math.abs(x) >= 2 ** (exponent + 1)) exponent++;
  return exponent;
}

function frexp(x: number): JsonValue {
  if (x === 0 || !Number.isFinite(x)) return [fromFloat(x), 0];
  const exponent = exponentOf(x) + 1;
  return [fromFloat(x / 2 ** exponent), exponent];
}

function modf(x: number): JsonValue {
  const whole = Math.trunc(x);
  return [fromFloat(Number.isFinite(x) ? x - whole : 0), fromFloat(whole)];
}

function remainder(x: number, y: number): number {
  return y === 0 ? NaN : x - y * toEven(x / y);
}

function gamma(x: number): number {
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gamma(1 - x));
  if (Number.isInteger(x) && x < 20) {
    let product = 1;
    for (let factor = 2; factor < x; factor++) product *= factor;
    return product;
  }
  return Math.exp(logGamma(x));
}

function logGamma(x: number): number {
  if (!Number.isFinite(x)) return Math.abs(x);
  if (x <= 0 && Number.isInteger(x)) return Infinity;
  if (x < 0.5) return Math.log(Math.abs(Math.PI / Math.sin(Math.PI * x))) - logGamma(1 - x);
  const shifted = x - 1;
  const t = shifted + LANCZOS_G + 0.5;
  const series = LANCZOS.reduce((sum, part, at) => at === 0 ? part : sum + part / (shifted + at), 0);
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(series);
}
