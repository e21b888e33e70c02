/** A store of which some reads fail, as those of a disk with errors. */
import type { Key, ListOptions, Selector, StoredEntry } from "../../../src/store/store.ts";
import { readRefusal } from "../../../src/store/read_refusal.ts";
import { FaultyStore } from "./faulty_store.ts";

/** Fails the reads of keys, and lists by their prefix or start, for which `fails` is true. */
export class FlakyStore extends FaultyStore {
  fails: (key: Key) => boolean = () => false;

  override get(key: Key): Promise<StoredEntry | null> {
    return this.fails(key) ? Promise.reject(refusal()) : super.get(key);
  }

  override getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    return keys.some((key) => this.fails(key)) ? Promise.reject(refusal()) : super.getMany(keys);
  }

  override async *list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    if (this.fails("prefix" in selector ? selector.prefix : selector.start)) throw refusal();
    yield* super.list(selector, options);
  }
}

function refusal(): Error {
  return readRefusal(new Error("disk I/O error"), () => {});
}
