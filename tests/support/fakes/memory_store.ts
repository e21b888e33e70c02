/** A store in memory that behaves like Deno KV. */
import { createHash } from "node:crypto";
import type { Clock } from "../../../src/base/time/clock.ts";
import { compareKeys } from "../checks/key_order.ts";
import { MAX_VALUE_BYTES } from "../../../src/model/limits.ts";
import type {
  Atomic,
  Check,
  Key,
  ListOptions,
  Mutation,
  Selector,
  Store,
  StoredEntry,
} from "../../../src/store/store.ts";

interface Row {
  readonly key: Key;
  value: Uint8Array;
  versionstamp: string;
}

/** Keeps rows sorted by key. */
export class MemoryStore implements Store {
  readonly hasQueue = true;
  readonly #clock: Clock;
  readonly #copy: (value: Uint8Array) => Uint8Array;
  readonly #rows: Row[] = [];
  readonly #messages = new Set<() => void>();
  readonly #watchers = new Set<{ readonly key: Key; readonly onChange: () => void }>();
  #version = 0;
  #handler: ((payload: string) => Promise<void>) | undefined;
  #closed = false;
  #settleListen: (() => void) | undefined;

  /** Values are copied, so that callers cannot change what is stored; `copies: false` saves time where none does. */
  constructor(clock: Clock, { copies = true } = {}) {
    this.#clock = clock;
    this.#copy = copies ? (value) => value.slice() : (value) => value;
  }

  /** @inheritdoc */
  get(key: Key): Promise<StoredEntry | null> {
    this.#assertOpen();
    return Promise.resolve(this.#read(key));
  }

  /** @inheritdoc */
  getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    this.#assertOpen();
    return Promise.resolve(keys.map((key) => this.#read(key)));
  }

  /** @inheritdoc */
  async *list(selector: Selector, options: ListOptions = {}): AsyncIterable<StoredEntry> {
    this.#assertOpen();
    await Promise.resolve();
    const first = "prefix" in selector ? selector.prefix : selector.start;
    const from = this.#find(first);
    let to = from;
    while (to < this.#rows.length && isSelected((this.#rows[to] as Row).key, selector)) to++;
    // The key that equals the prefix is not listed.
    const rows = this.#rows.slice(from, to).filter((row) =>
      !("prefix" in selector) || row.key.length > first.length
    );
    if (options.reverse) rows.reverse();
    for (const row of rows.slice(0, options.limit ?? rows.length)) yield this.#entryOf(row);
  }

  /** @inheritdoc */
  commit(atomic: Atomic): Promise<string | null> {
    this.#assertOpen();
    if (atomic.mutations.some(isTooLarge)) return Promise.reject(new TypeError("Value too large"));
    if (!atomic.checks.every((check) => this.#holds(check))) return Promise.resolve(null);
    const versionstamp = (++this.#version).toString(16).padStart(20, "0");
    for (const mutation of atomic.mutations) this.#apply(mutation, versionstamp);
    for (const message of atomic.messages) this.#schedule(message.payload, message.delayMs);
    for (const { key, onChange } of this.#watchers) {
      if (atomic.mutations.some((mutation) => compareKeys(mutation.key, key) === 0)) queueMicrotask(onChange);
    }
    return Promise.resolve(versionstamp);
  }

  /** @inheritdoc */
  listenQueue(handler: (payload: string) => Promise<void>): Promise<void> {
    this.#handler = handler;
    return new Promise((resolve) => this.#settleListen = resolve);
  }

  /** @inheritdoc */
  watch(key: Key, onChange: () => void): () => void {
    const watcher = { key, onChange };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** @inheritdoc */
  releaseReserve(): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** @inheritdoc */
  findDiskProblem(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** @inheritdoc */
  freeBytes(): Promise<number> {
    return Promise.resolve(Infinity);
  }

  /** @inheritdoc */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#messages) cancel();
    this.#messages.clear();
    this.#settleListen?.();
  }

  /** A new store with the same rows, like a database file opened after a crash. Undelivered messages are dropped. */
  reopen(clock: Clock = this.#clock): MemoryStore {
    const next = new MemoryStore(clock);
    next.#version = this.#version;
    for (const row of this.#rows) next.#rows.push({ ...row });
    return next;
  }

  /** A hash of the rows and their versions. */
  fingerprint(): string {
    const hash = createHash("sha256").update(`${this.#version}`);
    for (const { key, value, versionstamp } of this.#rows) {
      hash.update(
        `\n${
          JSON.stringify(key, (_, part) => typeof part === "bigint" ? `${part}n` : part)
        } ${versionstamp} ${value.length}\n`,
      ).update(value);
    }
    return hash.digest("hex");
  }

  /** Number of rows whose key begins with `prefix`. */
  count(prefix: Key = []): number {
    return this.#rows.filter((row) => isSelected(row.key, { prefix })).length;
  }

  #schedule(payload: string, delayMs: number): void {
    const cancel = this.#clock.setTimer(delayMs, () => {
      this.#messages.delete(cancel);
      void this.#handler?.(payload);
    });
    this.#messages.add(cancel);
  }

  #read(key: Key): StoredEntry | null {
    const row = this.#rowOf(key);
    return row ? this.#entryOf(row) : null;
  }

  #entryOf({ key, value, versionstamp }: Row): StoredEntry {
    return { key, value: this.#copy(value), versionstamp };
  }

  #rowOf(key: Key): Row | undefined {
    const row = this.#rows[this.#find(key)];
    return row && compareKeys(row.key, key) === 0 ? row : undefined;
  }

  #holds({ key, versionstamp }: Check): boolean {
    return (this.#rowOf(key)?.versionstamp ?? null) === versionstamp;
  }

  #apply(mutation: Mutation, versionstamp: string): void {
    const index = this.#find(mutation.key);
    const row = this.#rows[index];
    const exists = row !== undefined && compareKeys(row.key, mutation.key) === 0;
    if (mutation.type === "delete") {
      if (exists) this.#rows.splice(index, 1);
    } else if (exists) {
      row.value = this.#copy(mutation.value);
      row.versionstamp = versionstamp;
    } else {
      this.#rows.splice(index, 0, { key: mutation.key, value: this.#copy(mutation.value), versionstamp });
    }
  }

  /** Index of the first row whose key is not before `key`. */
  #find(key: Key): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareKeys((this.#rows[middle] as Row).key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error("The store is closed");
  }
}

function isSelected(key: Key, selector: Selector): boolean {
  if ("prefix" in selector) {
    const { prefix } = selector;
    return key.length >= prefix.length && compareKeys(key.slice(0, prefix.length), prefix) === 0;
  }
  return compareKeys(key, selector.start) >= 0 && compareKeys(key, selector.end) < 0;
}

function isTooLarge(mutation: Mutation): boolean {
  return mutation.type === "set" && mutation.value.length > MAX_VALUE_BYTES;
}
