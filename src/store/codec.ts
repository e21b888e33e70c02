/** The format of stored values: a format byte, then JSON as UTF-8. A later format gets another format byte. */
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { joinBytes } from "../base/bytes.ts";
import { type JsonValue, parseJson, stringifyJson } from "../base/json.ts";

/** First byte of every value of this format. */
const FORMAT_JSON = 0x01;
/** First byte of executions with inline task runs; their form is that of `records/executions/inline_record.ts`. */
export const FORMAT_INLINE = 0x04;
/** First byte of JSON that is compressed with Brotli. */
const FORMAT_BROTLI = 0x05;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The stored bytes of a value. */
export function encodeJson(value: unknown): Uint8Array {
  return encodeText(stringifyJson(value));
}

/** Small values share a buffer: with one buffer for each value, garbage collection costs more than the rest of a commit. */
const SLAB_BYTES = 65_536;
const MAX_SHARED_CHARS = 4_096;
let slab = new Uint8Array(SLAB_BYTES);
let slabUsed = 0;

/** The stored bytes of JSON text. They can be a part of a shared buffer, so callers must not modify them. */
export function encodeText(text: string, format = FORMAT_JSON): Uint8Array {
  if (text.length > MAX_SHARED_CHARS) return encodeAlone(text, format);
  // A UTF-16 unit takes at most three bytes.
  if (slabUsed + text.length * 3 + 1 > SLAB_BYTES) {
    slab = new Uint8Array(SLAB_BYTES);
    slabUsed = 0;
  }
  const start = slabUsed;
  slab[start] = format;
  const { written } = encoder.encodeInto(text, slab.subarray(start + 1));
  slabUsed = start + 1 + written;
  return slab.subarray(start, slabUsed);
}

function encodeAlone(text: string, format: number): Uint8Array {
  const utf8 = encoder.encode(text);
  const bytes = new Uint8Array(utf8.length + 1);
  bytes[0] = format;
  bytes.set(utf8, 1);
  return bytes;
}

/**
 * The compressed bytes of JSON text, which {@link decodeJson} reads. The window of 4 MiB also finds a text that is repeated
 * half a megabyte later. 1 MB takes up to 130 ms at quality 4 and is no smaller at a higher one.
 */
export function encodeCompressed(text: string): Uint8Array {
  const utf8 = encoder.encode(text);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: utf8.length };
  return joinBytes([new Uint8Array([FORMAT_BROTLI]), brotliCompressSync(utf8, { params })]);
}

/** The inverse of {@link encodeJson}. @throws Error for another format */
export function decodeJson(bytes: Uint8Array, format = FORMAT_JSON): JsonValue {
  if (bytes[0] === FORMAT_BROTLI) return parseJson(decoder.decode(brotliDecompressSync(bytes.subarray(1))));
  if (bytes[0] !== format) throw new Error(`Cannot read a stored value: unknown format ${bytes[0]}`);
  return parseJson(decoder.decode(bytes.subarray(1)));
}
