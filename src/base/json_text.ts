/** Values within texts: expressions give texts only, and so do bodies of requests. */
import { isJsonObject, type JsonValue, parseJson } from "./json.ts";

/** The list or object whose JSON a text is; any other value as it is. */
export function readStructure(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    const structure = parseJson(value);
    return isJsonObject(structure) || Array.isArray(structure) ? structure : value;
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}
