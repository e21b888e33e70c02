/**
 * Values that are longer than the database takes. The key has the first {@link MAX_VALUE_BYTES} bytes; what follows is under
 * the keys `[...key, n]`, n from 1. All are written by one entry. So a value of exactly that length may have further parts.
 */
import { joinBytes } from "../base/bytes.ts";
import { MAX_VALUE_BYTES } from "../model/limits.ts";
import type { Key, Mutation, Store, StoredEntry } from "./store.ts";

/** Parts of a value: one entry of the committer takes no more bytes. */
const MAX_PARTS = 10;

/** Number of parts that a value of so many bytes has. */
export function partCount(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / MAX_VALUE_BYTES));
}

/** The stored value of a key if it is whole; `undefined` if it may have further parts. */
export function wholeOf(stored: Uint8Array): Uint8Array | undefined {
  return stored.length === MAX_VALUE_BYTES ? undefined : stored;
}

/** Stores a value of which up to `formerParts` parts are stored; the mutation of the key itself is the last. */
export function setInParts(key: Key, value: Uint8Array, formerParts = 1): Mutation[] {
  const count = partCount(value.length);
  if (count === 1 && formerParts === 1) return [{ type: "set", key, value }];
  const partOf = (n: number) => value.subarray(n * MAX_VALUE_BYTES, (n + 1) * MAX_VALUE_BYTES);
  const mutations: Mutation[] = [];
  for (let n = 1; n < Math.max(count, formerParts); n++) {
    const part = [...key, n];
    mutations.push(n < count ? { type: "set", key: part, value: partOf(n) } : { type: "delete", key: part });
  }
  return [...mutations, { type: "set", key, value: partOf(0) }];
}

/** Deletes a value of which up to `formerParts` parts are stored. */
export function deleteParts(key: Key, formerParts = 1): Mutation[] {
  const keys = Array.from({ length: formerParts }, (_, n) => n === 0 ? key : [...key, n]);
  return keys.map((each) => ({ type: "delete", key: each }));
}

/** Reads all parts of a value at one time; `undefined` if it was deleted since its key was read. */
export async function wholeValue(store: Store, key: Key): Promise<Uint8Array | undefined> {
  const keys = Array.from({ length: MAX_PARTS }, (_, n) => n === 0 ? key : [...key, n]);
  const entries = await store.getMany(keys);
  const end = entries.findIndex((entry) => entry === null);
  if (end === 0) return undefined;
  return joinBytes(entries.slice(0, end < 0 ? MAX_PARTS : end).map((entry) => (entry as StoredEntry).value));
}

/** Entries with their whole values; nothing is written meanwhile. Parts without a key stay as they are. */
export async function* inWhole(entries: AsyncIterable<StoredEntry>): AsyncGenerator<StoredEntry> {
  let whole: StoredEntry | undefined;
  for await (const entry of entries) {
    if (whole && isPartOf(entry.key, whole.key)) {
      whole = { ...whole, value: joinBytes([whole.value, entry.value]) };
      continue;
    }
    if (whole) yield whole;
    whole = entry;
  }
  if (whole) yield whole;
}

function isPartOf(part: Key, key: Key): boolean {
  return part.length > key.length && key.every((member, n) => member === part[n]);
}
