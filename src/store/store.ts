/** The interface of a key-value database as the server uses it. `kv_store.ts` is the real one; only this layer knows keys. */

/** A part of a key. Order: bytes, text, numbers, bigints, booleans; texts by their UTF-8 bytes. */
export type KeyPart = Uint8Array | string | number | bigint | boolean;

/** A key; keys order part by part. */
export type Key = readonly KeyPart[];

/** A stored value: always bytes, which all clients of Deno KV read alike. */
export interface StoredEntry {
  readonly key: Key;
  readonly value: Uint8Array;
  readonly versionstamp: string;
}

/** A change of one key. */
export type Mutation =
  | { readonly type: "set"; readonly key: Key; readonly value: Uint8Array }
  | { readonly type: "delete"; readonly key: Key };

/** The key must have this versionstamp; `null` means it must not exist. */
export interface Check {
  readonly key: Key;
  readonly versionstamp: string | null;
}

/** A message of the database's queue: delivered at least once, not before its delay is over. */
export interface Message {
  readonly payload: string;
  readonly delayMs: number;
}

/** Applied as a whole or not at all — unless the database fails while at it: then its outcome is unknown. */
export interface Atomic {
  readonly checks: readonly Check[];
  readonly mutations: readonly Mutation[];
  readonly messages: readonly Message[];
}

/** Which keys to list: those that begin with `prefix`, or a range `[start, end)`. */
export type Selector = { readonly prefix: Key } | { readonly start: Key; readonly end: Key };

/** How to list. */
export interface ListOptions {
  readonly limit?: number;
  readonly reverse?: boolean;
}

/** A key-value database with ordered keys. */
export interface Store {
  /** The entry, or `null`. */
  get(key: Key): Promise<StoredEntry | null>;
  /** The entries of the keys, in their order; any number of keys. */
  getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]>;
  /** Entries in key order (or its reverse). */
  list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry>;
  /** The versionstamp, or `null` when a check failed. An exception means that the outcome is unknown. */
  commit(atomic: Atomic): Promise<string | null>;
  /** Whether {@link Atomic.messages} are delivered; where not, messages must be empty. */
  readonly hasQueue: boolean;
  /** Calls `handler` for each message. Settles when the store closes. The handler must return at once. */
  listenQueue(handler: (payload: string) => Promise<void>): Promise<void>;
  /** Gives up space kept back for this moment, so that a full disk can still take small writes. False when there was none. */
  releaseReserve(): Promise<boolean>;
  /** Closes; further calls fail. */
  close(): void;
}
