/** Values within texts: expressions give texts only, and so do bodies of requests. */
import { type JsonValue, tryParseJson } from "./json.ts";

/** The list or object whose JSON a text is; any other value as it is. */
export function readStructure(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  return tryParseJson(value) ?? value;
}
