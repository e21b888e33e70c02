/** A store of which a read fails for a moment. */
import type { Key, ListOptions, Selector, StoredEntry } from "../../../src/store/store.ts";
import { readRefusal } from "../../../src/store/read_refusal.ts";
import { FaultyStore } from "./faulty_store.ts";

/** Fails reads of keys and lists of ranges: none, the first one of each, or all. */
export class FlakyStore extends FaultyStore {
  fails: "never" | "once" | "always" = "never";
  /** What has failed. */
  readonly failed = new Set<string>();

  override get(key: Key): Promise<StoredEntry | null> {
    return this.#fails(key) ? Promise.reject(refusal()) : super.get(key);
  }

  override getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    return keys.some((key) => this.#fails(key)) ? Promise.reject(refusal()) : super.getMany(keys);
  }

  override async *list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    if (this.#fails(Object.values(selector))) throw refusal();
    yield* super.list(selector, options);
  }

  #fails(read: readonly unknown[]): boolean {
    const name = JSON.stringify(read);
    if (this.fails === "never" || this.fails === "once" && this.failed.has(name)) return false;
    this.failed.add(name);
    return true;
  }
}

function refusal(): Error {
  return readRefusal(new Error("disk I/O error"), () => {});
}
