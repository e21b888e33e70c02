/**
 * Shared by the languages of expressions: values with number kinds (64-bit integers, decimals), their printing, errors with
 * positions, limits and the step budget. No library: numbers compute, compare and print as in Java.
 */
export { decodeBase64, encodeBase64 } from "./base64.ts";
export {
  ExpressionError,
  type ExpressionErrorCode,
  fail,
  failUndefined,
  isUndefinedError,
} from "./errors.ts";
export * from "./limits.ts";
export {
  affirm,
  calculate,
  compareNumbers,
  isInteger,
  isNumber,
  negate,
  type NumberValue,
  toFloat,
  toInteger,
  wholeOf,
} from "./numbers.ts";
export { joinText, jsonText, kindOf, measureValue, printValue } from "./print.ts";
