/** Sizes of values without serialising them. */
import { isJsonObject, type JsonValue, stringifyJson } from "./json.ts";
import { MAX_DEPTH } from "./json_text.ts";

const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const encoder = new TextEncoder();

/** UTF-8 bytes of a text as JSON, without its quotes. */
export function jsonBytes(text: string): number {
  return PLAIN.test(text) ? text.length : encoder.encode(JSON.stringify(text)).length - 2;
}

/** UTF-8 bytes of a value as JSON. */
export function bytesAsJson(value: unknown): number {
  return encoder.encode(stringifyJson(value)).length;
}

/** Rough size of a value in characters; stops counting above `max`. A value of more than `depth` levels counts as larger. */
export function sizeOf(value: JsonValue, max: number, depth = MAX_DEPTH): number {
  if (typeof value === "string") return value.length + 2;
  const isList = Array.isArray(value);
  if (!isList && !isJsonObject(value)) return 8;
  if (depth === 0) return max + 1;
  let size = 2;
  if (isList) {
    for (const item of value) if ((size += sizeOf(item, max, depth - 1) + 1) > max) return size;
    return size;
  }
  for (const name in value) {
    size += name.length + 3 + sizeOf(value[name] as JsonValue, max, depth - 1);
    if (size > max) return size;
  }
  return size;
}
