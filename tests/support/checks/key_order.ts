/** The order of Deno KV keys: bytes < texts < numbers < bigints < booleans; a prefix sorts before the keys that extend it. */
import type { Key, KeyPart } from "../../../src/store/store.ts";

const encoder = new TextEncoder();
const FIRST_SURROGATE = 0xd800;

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
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  const order = rank(a) - rank(b);
  if (order !== 0) return order;
  if (a instanceof Uint8Array) return compareBytes(a, b as Uint8Array);
  return a < b ? -1 : a > b ? 1 : 0;
}

function rank(part: KeyPart): number {
  if (part instanceof Uint8Array) return 0;
  return ["string", "number", "bigint", "boolean"].indexOf(typeof part) + 1;
}

/** Compares UTF-8 bytes. UTF-16 units sort the same way below the surrogates. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [unitA, unitB] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (unitA === unitB) continue;
    const arePlain = unitA < FIRST_SURROGATE && unitB < FIRST_SURROGATE;
    return arePlain ? unitA - unitB : compareBytes(encoder.encode(a), encoder.encode(b));
  }
  return a.length - b.length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
