/** Values as messages show them, and the reading of members as texts, booleans and lists. */
import { Double, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";

/** Characters of a value that a message repeats. */
const MAX_SHOWN = 100;

/** A value in a message: texts quoted and cut, lists and objects by their kind. */
export function describeValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return JSON.stringify(cutText(value));
  return isScalar(value) ? cutText(String(value)) : "an object";
}

/** The first characters of a text, with an ellipsis when it is longer. */
export function cutText(text: string, maxLength = MAX_SHOWN): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

/** Ids that one message names. */
const MAX_NAMED = 10;

/** The first ids of a list, as a message names them. */
export function namesOf(ids: readonly string[]): string {
  return ids.slice(0, MAX_NAMED).map((id) => cutText(id)).join(", ");
}

type ScalarValue = string | number | bigint | boolean | Double;

/** True for texts, numbers and booleans. */
export function isScalar(value: JsonValue | undefined): value is ScalarValue {
  return value !== null && value !== undefined && (typeof value !== "object" || value instanceof Double);
}

/** The text of a scalar; `undefined` for anything else. */
export function scalarText(value: JsonValue | undefined): string | undefined {
  return isScalar(value) ? String(value) : undefined;
}

/** The text of a scalar member; `undefined` for anything else. */
export function textOf(object: JsonObject, name: string): string | undefined {
  return scalarText(ownProperty(object, name));
}

/** True for a member that is there and not null. */
export function hasValue(object: JsonObject, name: string): boolean {
  return (ownProperty(object, name) ?? null) !== null;
}

/** The elements of a list member; none for anything else. */
export function elementsOf(object: JsonObject, name: string): readonly JsonValue[] {
  const value = ownProperty(object, name);
  return Array.isArray(value) ? value : [];
}

/** The boolean of a member, which may be written as a text in any case; `fallback` for anything else. */
export function flagOf(object: JsonObject, name: string, fallback: boolean): boolean {
  const text = textOf(object, name)?.toLowerCase();
  return text === "true" ? true : text === "false" ? false : fallback;
}

/** Message of a deprecation; `advice` says what to use instead. */
export function deprecationText(advice: string): string {
  return `is deprecated: ${advice.charAt(0).toLowerCase()}${advice.slice(1).replace(/\.$/, "")}`;
}
