/** JSON within texts: rendered expressions and request bodies give texts only. */
import { type JsonValue, tryParseJson } from "./json.ts";

/** Levels of values that are kept: reading or printing deeper ones may exhaust the stack. */
export const MAX_DEPTH = 500;

/** The list or object of a JSON text of at most {@link MAX_DEPTH} levels; any other value as it is. */
export function readStructure(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value) || isNestedDeeper(value)) return value;
  return tryParseJson(value) ?? value;
}

/** Whether brackets outside of texts are nested deeper than `levels`. */
export function isNestedDeeper(json: string, levels = MAX_DEPTH): boolean {
  let depth = 0, isInText = false;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (isInText && code === 92) i++; // skips the escaped character
    else if (code === 34) isInText = !isInText;
    else if (isInText) continue;
    else if (code === 91 || code === 123) depth++;
    else if (code === 93 || code === 125) depth--;
    if (depth > levels) return true;
  }
  return false;
}
