/** Members of values: map keys, list elements, and the few properties and methods that texts, lists and maps have. */
import { Double, isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { fail } from "./errors.ts";
import { isNumber } from "./numbers.ts";
import { kindOf } from "./print.ts";

const INDEX = /^\d{1,9}$/;

type Method<T> = (value: T) => JsonValue;

const TEXT_METHODS: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ["length", (text) => text.length],
  ["isEmpty", (text) => text === ""],
  ["toUpperCase", (text) => text.toUpperCase()],
  ["toLowerCase", (text) => text.toLowerCase()],
  ["trim", (text) => text.trim()],
]);
const LIST_METHODS: ReadonlyMap<string, Method<JsonValue[]>> = new Map<string, Method<JsonValue[]>>([
  ["size", (list) => list.length],
  ["length", (list) => list.length],
  ["isEmpty", (list) => list.length === 0],
]);
const MAP_METHODS: ReadonlyMap<string, Method<JsonObject>> = new Map<string, Method<JsonObject>>([
  ["size", (map) => Object.keys(map).length],
  ["isEmpty", (map) => Object.keys(map).length === 0],
  ["keySet", (map) => Object.keys(map)],
  ["values", (map) => Object.values(map)],
]);

/** `value.name`: own members only; texts and lists also have properties. `undefined` when there is none. */
export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value === "string") return TEXT_METHODS.get(name)?.(value);
  if (typeof value !== "object" || value === null || value instanceof Double) return undefined;
  if (!Array.isArray(value)) return ownProperty(value, name);
  return INDEX.test(name) ? value[Number(name)] : LIST_METHODS.get(name)?.(value);
}

/** `value[key]`; numbers and booleans name map keys by their text. @throws ExpressionError `type` for a list or map as key */
export function elementOf(value: JsonValue | undefined, key: JsonValue): JsonValue | undefined {
  if (typeof key === "string") return memberOf(value, key);
  if (typeof key === "number" && Array.isArray(value)) return value[key];
  return key === null ? undefined : memberOf(value, keyText(key));
}

/** The map key that a value names. @throws ExpressionError `type` for null, lists and maps */
export function keyText(key: JsonValue): string {
  if (typeof key === "string") return key;
  if (typeof key === "boolean" || isNumber(key)) return String(key);
  return fail("type", `Cannot use ${kindOf(key)} as a key`);
}

/** `value.name()`: the methods of texts, lists and maps. `undefined` when there is none of that name. */
export function callMethod(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value === "string") return TEXT_METHODS.get(name)?.(value);
  if (Array.isArray(value)) return LIST_METHODS.get(name)?.(value);
  return isJsonObject(value) ? MAP_METHODS.get(name)?.(value) : undefined;
}
