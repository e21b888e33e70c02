/** Members of values: map keys, list elements, and the few properties that texts and lists have. */
import { Double, type JsonValue, ownProperty } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { fail, isNumber, kindOf } from "../../languages/values/mod.ts";
import { propertyOf } from "../methods.ts";

const INDEX = /^\d{1,9}$/;

/** `value.name`: own members only; texts and lists also have properties. `undefined` if it does not exist. */
export function memberOf(
  value: JsonValue | undefined,
  name: string,
  context: Context,
): JsonValue | undefined {
  if (typeof value === "string") return propertyOf(value, name, context);
  if (typeof value !== "object" || value === null || value instanceof Double) return undefined;
  if (!Array.isArray(value)) return ownProperty(value, name);
  return INDEX.test(name) ? value[Number(name)] : propertyOf(value, name, context);
}

/** `value[key]`; numbers and booleans name map keys by their text. @throws ExpressionError `type` for a list or map as key */
export function elementOf(
  value: JsonValue | undefined,
  key: JsonValue,
  context: Context,
): JsonValue | undefined {
  if (typeof key === "string") return memberOf(value, key, context);
  if (typeof key === "number" && Array.isArray(value)) return value[key];
  return key === null ? undefined : memberOf(value, keyText(key), context);
}

/** The map key that a value names. @throws ExpressionError `type` for null, lists and maps */
export function keyText(key: JsonValue): string {
  if (typeof key === "string") return key;
  if (typeof key === "boolean" || isNumber(key)) return String(key);
  return fail("type", `Cannot use ${kindOf(key)} as a key`);
}
