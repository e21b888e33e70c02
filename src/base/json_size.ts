/** Sizes of values without serialising them. */
import { isJsonObject, type JsonValue } from "./json.ts";

const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
const encoder = new TextEncoder();

/** UTF-8 bytes of a text as JSON, without its quotes. */
export function jsonBytes(text: string): number {
  return PLAIN.test(text) ? text.length : encoder.encode(JSON.stringify(text)).length - 2;
}

/** Rough size of a value in characters; stops counting above `max`. */
export function sizeOf(value: JsonValue, max: number): number {
  if (typeof value === "string") return value.length + 2;
  if (Array.isArray(value)) {
    let size = 2;
    for (const item of value) if ((size += sizeOf(item, max) + 1) > max) return size;
    return size;
  }
  if (!isJsonObject(value)) return 8;
  let size = 2;
  for (const name in value) {
    size += name.length + 3 + sizeOf(value[name] as JsonValue, max);
    if (size > max) return size;
  }
  return size;
}
