/** The bytes of stored values: a format byte, then JSON as UTF-8. Later formats get another byte and are decoded by it. */
import { type JsonValue, parseJson, stringifyJson } from "../base/json.ts";

/** First byte of every value of this format. */
const FORMAT_JSON = 0x01;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Bytes of a value. */
export function encodeJson(value: unknown): Uint8Array {
  return encodeText(stringifyJson(value));
}

/** Small values share a buffer: one of its own for each costs the garbage collector more than all else in a commit. */
const SLAB_BYTES = 65_536;
const MAX_SHARED_CHARS = 4_096;
let slab = new Uint8Array(SLAB_BYTES);
let slabUsed = 0;

/** Bytes of a text that is JSON already. They are a part of a larger buffer: to be stored, not to be changed. */
export function encodeText(text: string): Uint8Array {
  if (text.length > MAX_SHARED_CHARS) return encodeAlone(text);
  // Three bytes a UTF-16 unit at the most.
  if (slabUsed + text.length * 3 + 1 > SLAB_BYTES) {
    slab = new Uint8Array(SLAB_BYTES);
    slabUsed = 0;
  }
  const start = slabUsed;
  slab[start] = FORMAT_JSON;
  const { written } = encoder.encodeInto(text, slab.subarray(start + 1));
  slabUsed = start + 1 + written;
  return slab.subarray(start, slabUsed);
}

function encodeAlone(text: string): Uint8Array {
  const utf8 = encoder.encode(text);
  const bytes = new Uint8Array(utf8.length + 1);
  bytes[0] = FORMAT_JSON;
  bytes.set(utf8, 1);
  return bytes;
}

/** The text behind the format byte. @throws Error when the value is of a format that this version does not know */
function decodeText(bytes: Uint8Array): string {
  if (bytes[0] !== FORMAT_JSON) throw new Error(`Cannot read a stored value: unknown format ${bytes[0]}`);
  return decoder.decode(bytes.subarray(1));
}

/** The value that {@link encodeJson} wrote. */
export function decodeJson(bytes: Uint8Array): JsonValue {
  return parseJson(decodeText(bytes));
}
