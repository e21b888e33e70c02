/** Tests of `is`, without `defined`, which the compiler handles: only it accepts a missing value. */
import { isJsonObject, type JsonValue, tryParseJson } from "../base/json.ts";
import type { Context } from "./context.ts";
import type { Test } from "./entry.ts";
import { fail, isInteger, kindOf } from "../languages/values/mod.ts";
import { jsonWeightOf, keysOf, weightOf } from "./weight.ts";

/** Tests by name. @throws ExpressionError `type` where a test takes integers only */
export const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["null", (value) => value === null],
  ["empty", isEmptyValue],
  ["even", (value) => !isOdd(value, "even")],
  ["odd", (value) => isOdd(value, "odd")],
  ["iterable", (value) => Array.isArray(value)],
  ["map", (value) => isJsonObject(value)],
  ["json", isJsonText],
]);

/** Every test name, `defined` included. */
export const TEST_NAMES: readonly string[] = ["defined", ...TESTS.keys()];

/** True for null, blank text, and lists and maps without elements. */
export function isEmptyValue(value: JsonValue, context: Context): boolean {
  if (typeof value === "string") {
    context.spend(weightOf(value));
    return value.trim() === "";
  }
  if (Array.isArray(value)) return value.length === 0;
  return value === null || isJsonObject(value) && keysOf(value, context).length === 0;
}

function isOdd(value: JsonValue, test: string): boolean {
  if (!isInteger(value)) fail("type", `Cannot test whether ${kindOf(value)} is ${test}: integers only`);
  return BigInt(value) % 2n !== 0n;
}

function isJsonText(value: JsonValue, context: Context): boolean {
  if (typeof value !== "string") return false;
  context.spend(jsonWeightOf(value));
  return tryParseJson(value) !== undefined;
}
