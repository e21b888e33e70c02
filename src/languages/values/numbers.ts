/** Arithmetic of two kinds: 64-bit integers, which wrap as in Java, and decimals. The kind survives. */
import { Double, type JsonValue } from "../../base/json.ts";
import { fail } from "./errors.ts";
import { kindOf } from "./print.ts";

/** A number of either kind. */
export type NumberValue = number | bigint | Double;

/** An operator that takes two numbers. */
type ArithmeticOperator = "+" | "-" | "*" | "/" | "%";

/** True for integers and decimals. */
export function isNumber(value: JsonValue | undefined): value is NumberValue {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Double;
}

/** True for an integer. */
export function isInteger(value: JsonValue | undefined): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** The number as the platform computes with it; integers beyond 2^53 lose digits. */
export function toFloat(value: NumberValue): number {
  return value instanceof Double ? value.value : Number(value);
}

/** An integer, or a truncated decimal; `undefined` for other values and beyond 2^53. */
export function wholeOf(value: JsonValue | undefined): number | undefined {
  const whole = value instanceof Double ? Math.trunc(value.value) : value;
  return Number.isSafeInteger(whole) ? whole as number : undefined;
}

/** Negative, zero or positive for `a` less than, equal to or greater than `b`. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  const x = a instanceof Double ? a.value : a, y = b instanceof Double ? b.value : b;
  return x < y ? -1 : x > y ? 1 : 0;
}

/** `a operator b`. @throws ExpressionError `type`, `arithmetic` */
export function calculate(operator: ArithmeticOperator, a: JsonValue, b: JsonValue): NumberValue {
  if (!isNumber(a) || !isNumber(b)) {
    return fail("type", `Cannot apply "${operator}" to ${kindOf(a)} and ${kindOf(b)}`);
  }
  if (a instanceof Double || b instanceof Double) return calculateFloats(operator, toFloat(a), toFloat(b));
  if (typeof a === "number" && typeof b === "number") {
    const exact = calculateSmall(operator, a, b);
    if (Number.isSafeInteger(exact)) return exact + 0; // + 0: no negative zero among the integers
  }
  return calculateLarge(operator, BigInt(a), BigInt(b));
}

function calculateFloats(operator: ArithmeticOperator, a: number, b: number): Double {
  const result = calculatePlain(operator, a, b);
  if (!Number.isFinite(result)) fail("arithmetic", `Cannot compute ${a} ${operator} ${b}: no finite result`);
  return new Double(result);
}

function calculateSmall(operator: ArithmeticOperator, a: number, b: number): number {
  if (b === 0 && (operator === "/" || operator === "%")) fail("arithmetic", "Cannot divide by zero");
  return operator === "/" ? Math.trunc(a / b) : calculatePlain(operator, a, b);
}

function calculatePlain(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "%":
      return a % b;
  }
}

function calculateLarge(operator: ArithmeticOperator, a: bigint, b: bigint): number | bigint {
  switch (operator) {
    case "+":
      return toInteger(a + b);
    case "-":
      return toInteger(a - b);
    case "*":
      return toInteger(a * b);
    case "/":
      return b === 0n ? fail("arithmetic", "Cannot divide by zero") : toInteger(a / b);
    case "%":
      return b === 0n ? fail("arithmetic", "Cannot divide by zero") : toInteger(a % b);
  }
}

/** Wraps to 64 bits; a number when it is exact, else a bigint. */
export function toInteger(value: bigint): number | bigint {
  const wrapped = BigInt.asIntN(64, value);
  const small = Number(wrapped);
  return Number.isSafeInteger(small) ? small : wrapped;
}

/** `-value`. @throws ExpressionError `type` */
export function negate(value: JsonValue): NumberValue {
  if (value instanceof Double) return new Double(-value.value);
  return isNumber(value) ? calculate("-", 0, value) : refuseSign("-", value);
}

/** `+value`. @throws ExpressionError `type` */
export function affirm(value: JsonValue): NumberValue {
  return isNumber(value) ? value : refuseSign("+", value);
}

function refuseSign(sign: "+" | "-", value: JsonValue): never {
  return fail("type", `Cannot apply "${sign}" to ${kindOf(value)}`);
}
