/** Values as messages show them, and the one reading of scalars as texts and booleans. */
import { Double, type JsonValue } from "../../base/json.ts";

/** Characters of a value that a message repeats. */
const MAX_SHOWN = 100;

/** A value in a message: texts in double quotes and cut, lists and objects by their kind. */
export function describeValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return JSON.stringify(cutText(value));
  return isScalar(value) ? cutText(String(value)) : "an object";
}

/** The first characters of a text, with an ellipsis when it is longer. */
export function cutText(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** A value that has a text of its own. */
type ScalarValue = string | number | bigint | boolean | Double;

/** True for texts, numbers and booleans. */
export function isScalar(value: JsonValue | undefined): value is ScalarValue {
  return value !== null && value !== undefined && (typeof value !== "object" || value instanceof Double);
}

/** The text of a scalar; `undefined` for anything else. */
export function scalarText(value: JsonValue | undefined): string | undefined {
  return isScalar(value) ? String(value) : undefined;
}

/** `true`, or a text of it in any case; `fallback` when it is neither a boolean nor the text of one. */
export function readFlag(value: JsonValue | undefined, fallback: boolean): boolean {
  const text = scalarText(value)?.toLowerCase();
  return text === "true" ? true : text === "false" ? false : fallback;
}
