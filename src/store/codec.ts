/** The bytes of stored values: a format byte, then JSON as UTF-8. Later formats get another byte and are decoded by it. */
import { type JsonValue, parseJson, stringifyJson } from "../base/json.ts";

/** First byte of every value of this format. */
export const FORMAT_JSON = 0x01;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Bytes of a value. */
export function encodeJson(value: unknown): Uint8Array {
  return encodeText(stringifyJson(value));
}

/** Bytes of a text that is JSON already. */
export function encodeText(text: string): Uint8Array {
  // Sized for ASCII, which nearly all records are; grown only when that was wrong.
  const bytes = new Uint8Array(text.length + 1);
  bytes[0] = FORMAT_JSON;
  const { read } = encoder.encodeInto(text, bytes.subarray(1));
  if (read === text.length) return bytes;
  const utf8 = encoder.encode(text);
  const whole = new Uint8Array(utf8.length + 1);
  whole[0] = FORMAT_JSON;
  whole.set(utf8, 1);
  return whole;
}

/** The text behind the format byte. @throws Error when the value is of a format that this version does not know */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] !== FORMAT_JSON) throw new Error(`Cannot read a stored value: unknown format ${bytes[0]}`);
  return decoder.decode(bytes.subarray(1));
}

/** The value that {@link encodeJson} wrote. */
export function decodeJson(bytes: Uint8Array): JsonValue {
  return parseJson(decodeText(bytes));
}
