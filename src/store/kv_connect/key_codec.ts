/** Keys as bytes, in the order-preserving form that Deno KV shares with the tuple layer of FoundationDB. */
import type { Key, KeyPart } from "../store.ts";

const BYTES = 0x01;
const TEXT = 0x02;
/** Integers have this type byte plus or minus the number of their bytes. */
const INTEGER = 0x14;
const MAX_INTEGER_BYTES = 8;
const DOUBLE = 0x21;
const FALSE = 0x26;
const TRUE = 0x27;
/** Follows a zero byte within texts and byte strings; a zero byte without it ends them. */
const ESCAPE = 0xff;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes of a key. */
export function encodeKey(key: Key): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const part of key) encodePart(part, bytes);
  return new Uint8Array(bytes);
}

/** The first key after `key` in the order of bytes. */
export function keyAfter(key: Uint8Array): Uint8Array<ArrayBuffer> {
  return withByte(key, 0);
}

/** The end of the keys that extend `prefix`. */
export function endOfPrefix(prefix: Uint8Array): Uint8Array<ArrayBuffer> {
  return withByte(prefix, 0xff);
}

function withByte(bytes: Uint8Array, last: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  longer[bytes.length] = last;
  return longer;
}

function encodePart(part: KeyPart, bytes: number[]): void {
  if (typeof part === "string") encodeBytes(TEXT, encoder.encode(part), bytes);
  else if (typeof part === "number") encodeNumber(part, bytes);
  else if (typeof part === "bigint") encodeInteger(part, bytes);
  else if (typeof part === "boolean") bytes.push(part ? TRUE : FALSE);
  else encodeBytes(BYTES, part, bytes);
}

function encodeBytes(type: number, part: Uint8Array, bytes: number[]): void {
  bytes.push(type);
  for (const byte of part) {
    bytes.push(byte);
    if (byte === 0) bytes.push(ESCAPE);
  }
  bytes.push(0);
}

/** IEEE 754, with all bits of a negative number inverted and the sign bit of others set, so that bytes order like numbers. */
function encodeNumber(part: number, bytes: number[]): void {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, part);
  const isNegative = view.getUint8(0) >= 0x80;
  bytes.push(DOUBLE);
  for (let at = 0; at < 8; at++) {
    const flipped = isNegative ? 0xff : at === 0 ? 0x80 : 0;
    bytes.push(view.getUint8(at) ^ flipped);
  }
}

/** @throws Error when it does not fit into 64 bits */
function encodeInteger(part: bigint, bytes: number[]): void {
  const digits: number[] = [];
  for (let rest = part < 0n ? -part : part; rest > 0n; rest >>= 8n) digits.unshift(Number(rest & 0xffn));
  if (digits.length > MAX_INTEGER_BYTES) {
    throw new Error("Cannot use a key: an integer has more than 64 bits");
  }
  bytes.push(part < 0n ? INTEGER - digits.length : INTEGER + digits.length);
  for (const digit of digits) bytes.push(part < 0n ? digit ^ 0xff : digit);
}

/** The inverse of {@link encodeKey}. @throws Error for bytes that are no key */
export function decodeKey(bytes: Uint8Array): Key {
  const key: KeyPart[] = [];
  for (let at = 0; at < bytes.length;) {
    const { part, end } = decodePart(bytes, at);
    key.push(part);
    at = end;
  }
  return key;
}

interface Decoded {
  readonly part: KeyPart;
  /** Where the next part begins. */
  readonly end: number;
}

function decodePart(bytes: Uint8Array, at: number): Decoded {
  const type = bytes[at] as number;
  if (type === TEXT || type === BYTES) return decodeBytes(bytes, at);
  if (type === DOUBLE) return { part: decodeNumber(bytes.slice(at + 1, at + 9)), end: at + 9 };
  if (type === TRUE || type === FALSE) return { part: type === TRUE, end: at + 1 };
  const length = Math.abs(type - INTEGER);
  if (length > MAX_INTEGER_BYTES) throw new Error(`Cannot read a key: type byte ${type}`);
  const end = at + 1 + length;
  return { part: decodeInteger(bytes.subarray(at + 1, end), type < INTEGER), end };
}

function decodeBytes(bytes: Uint8Array, at: number): Decoded {
  const end = endOf(bytes, at + 1);
  const raw = bytes.subarray(at + 1, end);
  const part = raw.includes(0) ? raw.filter((_, index) => raw[index - 1] !== 0) : raw.slice();
  return { part: bytes[at] === TEXT ? decoder.decode(part) : part, end: end + 1 };
}

/** Index of the zero byte that ends a text or a byte string. */
function endOf(bytes: Uint8Array, from: number): number {
  let end = bytes.indexOf(0, from);
  while (end >= 0 && bytes[end + 1] === ESCAPE) end = bytes.indexOf(0, end + 2);
  if (end < 0) throw new Error("Cannot read a key: a part has no end");
  return end;
}

function decodeNumber(bytes: Uint8Array<ArrayBuffer>): number {
  const isNegative = (bytes[0] as number) < 0x80;
  const flipped = bytes.map((byte, at) => byte ^ (isNegative ? 0xff : at === 0 ? 0x80 : 0));
  return new DataView(flipped.buffer).getFloat64(0);
}

function decodeInteger(bytes: Uint8Array, isNegative: boolean): bigint {
  let value = 0n;
  for (const byte of bytes) value = value << 8n | BigInt(isNegative ? byte ^ 0xff : byte);
  return isNegative ? -value : value;
}
