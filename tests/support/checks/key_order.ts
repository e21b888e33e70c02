/** The order of Deno KV keys: bytes < texts < numbers < bigints < booleans; a prefix sorts before the keys that extend it. */
import type { Key, KeyPart } from "../../../src/store/store.ts";

const encoder = new TextEncoder();

/** Negative when `a` sorts before `b`, zero when they are equal, else positive. */
export function compareKeys(a: Key, b: Key): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareParts(a[i] as KeyPart, b[i] as KeyPart);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareParts(a: KeyPart, b: KeyPart): number {
  const order = rank(a) - rank(b);
  if (order !== 0) return order;
  if (typeof a === "string") return compareTexts(a, b as string);
  if (a instanceof Uint8Array) return compareBytes(a, b as Uint8Array);
  return a < b ? -1 : a > b ? 1 : 0;
}

function rank(part: KeyPart): number {
  if (part instanceof Uint8Array) return 0;
  return ["string", "number", "bigint", "boolean"].indexOf(typeof part) + 1;
}

/** Compares UTF-8 bytes. UTF-16 units sort the same way up to U+D7FF. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  // deno-lint-ignore no-control-regex
  const plain = /^[\u0000-\ud7ff]*$/;
  if (plain.test(a) && plain.test(b)) return a < b ? -1 : 1;
  return compareBytes(encoder.encode(a), encoder.encode(b));
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
