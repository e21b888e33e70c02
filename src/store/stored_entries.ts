/** Single entries: reads and decodes them, and builds the mutations that set or delete them. */
import { encodeJson } from "./codec.ts";
import type { Key, ListOptions, Mutation, Selector, Store, StoredEntry } from "./store.ts";

/** The decoded entry; `undefined` when the key does not exist. */
export async function readEntry<T>(
  store: Store,
  key: Key,
  decode: (entry: StoredEntry) => T,
): Promise<T | undefined> {
  const entry = await store.get(key);
  return entry === null ? undefined : decode(entry);
}

/** The decoded entries of a selector, in key order unless `options` reverse it. */
export async function* readEntries<T>(
  store: Store,
  selector: Selector,
  decode: (entry: StoredEntry) => T,
  options?: ListOptions,
): AsyncGenerator<T> {
  for await (const entry of store.list(selector, options)) yield decode(entry);
}

/** Sets a key to a JSON value. */
export function setJson(key: Key, value: unknown): Mutation {
  return { type: "set", key, value: encodeJson(value) };
}

/** Deletes a key. */
export function deleteKey(key: Key): Mutation {
  return { type: "delete", key };
}

/** Mutations that delete every key of the selectors. */
export async function deletionsOf(store: Store, ...selectors: readonly Selector[]): Promise<Mutation[]> {
  const mutations: Mutation[] = [];
  for (const selector of selectors) {
    for await (const { key } of store.list(selector)) mutations.push(deleteKey(key));
  }
  return mutations;
}
