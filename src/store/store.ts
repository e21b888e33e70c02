/**
 * The interface of the key-value database. `kv_store.ts` implements it with a file, `kv_connect/` with a server. Only this
 * layer builds keys.
 */

import type { DiskProblem } from "../model/server_health.ts";

/** A part of a key. Order: bytes, texts, numbers, bigints, booleans; texts by their UTF-8 bytes. */
export type KeyPart = Uint8Array | string | number | bigint | boolean;

/** A key; keys are ordered part by part. */
export type Key = readonly KeyPart[];

/** A stored entry. Values are always bytes, which every client of Deno KV can read. */
export interface StoredEntry {
  readonly key: Key;
  readonly value: Uint8Array;
  readonly versionstamp: string;
}

/** A change of one key. */
export type Mutation =
  | { readonly type: "set"; readonly key: Key; readonly value: Uint8Array }
  | { readonly type: "delete"; readonly key: Key };

/** The key must have this versionstamp; `null`: the key must not exist. */
export interface Check {
  readonly key: Key;
  readonly versionstamp: string | null;
}

/** A message of the database's queue: delivered at least once, not before its delay has passed. */
export interface Message {
  readonly payload: string;
  readonly delayMs: number;
}

/** An atomic operation: applied completely or not at all. If the database fails during it, the outcome is unknown. */
export interface Atomic {
  readonly checks: readonly Check[];
  readonly mutations: readonly Mutation[];
  readonly messages: readonly Message[];
  /** Longest wait for the outcome, in milliseconds, where the database is not on this machine; absent: the limit of the store. */
  readonly timeoutMs?: number;
}

/** The keys to list: those that extend `prefix`, or the range `[start, end)`. */
export type Selector = { readonly prefix: Key } | { readonly start: Key; readonly end: Key };

/** Options of {@link Store.list}. */
export interface ListOptions {
  readonly limit?: number;
  readonly reverse?: boolean;
  /** Entries that are read together; fewer for large values, so that a slow reader holds little memory. */
  readonly batchSize?: number;
}

/** The database was not reached: nothing of the commit was sent. */
export class UnsentError extends Error {
  override readonly name = "UnsentError";
}

/** A key-value database with ordered keys. */
export interface Store {
  /** The entry; `null` when the key does not exist. */
  get(key: Key): Promise<StoredEntry | null>;
  /** The entries of any number of keys, in the order of the keys. */
  getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]>;
  /** Entries in key order, or in reverse. */
  list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry>;
  /** The versionstamp; `null` when a check failed. @throws UnsentError nothing was written; another Error: unknown outcome */
  commit(atomic: Atomic): Promise<string | null>;
  /** True when a commit that failed may still be applied later. */
  readonly landsLate?: boolean;
  /** True when {@link Atomic.messages} are delivered; otherwise they must be empty. */
  readonly hasQueue: boolean;
  /** Calls `handler` for each message; the handler must return immediately. Settles when the store closes. */
  listenQueue(handler: (payload: string) => Promise<void>): Promise<void>;
  /** Calls `onChange` soon after each change of the key, and perhaps without one, until the result is called. Changes can be missed: also look now and then. */
  watch(key: Key, onChange: () => void): () => void;
  /** Frees the reserved disk space, so that small writes succeed on a full disk; false when there is no reserve. */
  releaseReserve(): Promise<boolean>;
  /** The problem of the disk that holds the database, found by writing a small file; `undefined` if the disk has no problem. */
  findDiskProblem(): Promise<DiskProblem | undefined>;
  /** Bytes that the disk has left; Infinity if that is not known. */
  freeBytes(): Promise<number>;
  /** Closes the database; further calls fail. */
  close(): void;
}
