/** A store whose commits or reads wait until a test lets them through. */
import type { Atomic, Key, ListOptions, Selector, StoredEntry } from "../../../src/store/store.ts";
import { assert } from "../assert.ts";
import type { Harness, HarnessOptions } from "../harness.ts";
import { settle } from "./fake_clock.ts";
import { FaultyStore } from "./faulty_store.ts";
import type { MemoryStore } from "./memory_store.ts";

/** Delegates to another store; holds commits while it is closed, reads of executions while `holdsReads` is set, and some lists. */
export class GatedStore extends FaultyStore {
  isClosed = false;
  holdsReads = false;
  /** The second part of keys whose lists wait once they are read. */
  heldLists: string | undefined;
  /** Resolves when a commit waits. */
  readonly reached = Promise.withResolvers<void>();
  #passing = 0;
  #waiting: (() => void)[] = [];

  /** The number of commits and reads that wait now. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Lets that many commits pass; the next ones wait. */
  closeAfter(commits: number): void {
    this.isClosed = true;
    this.#passing = commits;
  }

  override async commit(atomic: Atomic): Promise<string | null> {
    if (this.isClosed && this.#passing-- <= 0) {
      this.reached.resolve();
      await this.#wait();
    }
    return await super.commit(atomic);
  }

  override async get(key: Key): Promise<StoredEntry | null> {
    const entry = await super.get(key);
    if (this.holdsReads && key[1] === "x") await this.#wait();
    return entry;
  }

  override async getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    const entries = await super.getMany(keys);
    if (this.holdsReads && keys.some((key) => key[1] === "x")) await this.#wait();
    return entries;
  }

  override async *list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    const { heldLists } = this;
    const [, kind] = "prefix" in selector ? selector.prefix : selector.start;
    const entries = super.list(selector, options);
    if (heldLists === undefined || kind !== heldLists) return yield* entries;
    const read = await Array.fromAsync(entries);
    await this.#wait();
    yield* read;
  }

  /** Lets through what waits now, at most that many, in the order in which they came. */
  async letThrough(count = Infinity): Promise<void> {
    for (const resolve of this.#waiting.splice(0, count)) resolve();
    await settle();
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}

/** A server on the durable data of another one, as after a crash, and its store. It has read no execution yet. */
export async function restartGated(
  app: Harness,
  { unreadable = [], ...options }: HarnessOptions & {
    /** Executions that cannot be read. */
    readonly unreadable?: readonly unknown[];
  } = {},
): Promise<{ readonly app: Harness; readonly store: GatedStore }> {
  let store: GatedStore | undefined;
  const wrap = (memory: MemoryStore) => {
    store = new GatedStore(memory);
    for (const id of unreadable) store.unreadable.add(String(id));
    return store;
  };
  const next = await app.crash({ ...options, wrap });
  await settle();
  assert(store);
  return { app: next, store };
}
