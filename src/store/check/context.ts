/** What the parts of a check share: findings, counts, progress, and the repairs of what is derived. */
import type { Clock } from "../../base/time/clock.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { ByteFiles } from "../catalog/blocks/column_file.ts";
import type { Key, KeyPart, Mutation, Selector, Store, StoredEntry } from "../store.ts";
import { type FindingCode, Findings } from "./findings.ts";

/** Called for each record. */
type Progress = (records: number) => void;

/** What a check uses beside the store. */
export interface CheckOptions {
  readonly progress?: Progress;
  /** The column files of the catalog, and a clock for reading them; absent: they are not checked. */
  readonly columns?: { readonly files: ByteFiles; readonly clock: Clock };
}

/** Collects what a check finds. */
export class CheckContext {
  readonly store: Store;
  readonly columns: CheckOptions["columns"];
  /** Tenants that are not being removed. */
  tenants: readonly TenantId[] = [];
  readonly findings = new Findings();
  /** False when parts could not be read: then nothing must be repaired, because what is derived would lose them. */
  isComplete = true;
  /** Records by kind. */
  readonly counts = new Map<string, number>();
  /** Changes of derived records. */
  readonly repairs: Mutation[] = [];
  /** Catalog rows to write. */
  readonly rows: { readonly tenant: TenantId; readonly row: Uint8Array }[] = [];
  readonly #progress: Progress;
  #records = 0;

  constructor(store: Store, { progress = () => {}, columns }: CheckOptions = {}) {
    this.store = store;
    this.columns = columns;
    this.#progress = progress;
  }

  /** The entries of a selector, each counted as `kind`. */
  async *read(selector: Selector, kind: string): AsyncGenerator<StoredEntry> {
    const entries = this.store.list(selector)[Symbol.asyncIterator]();
    for (;;) {
      const entry = await this.#next(entries, kind);
      if (!entry) return;
      this.count(kind);
      yield entry;
    }
  }

  /** The next entry; `undefined` at the end, and where the database cannot be read. */
  async #next(entries: AsyncIterator<StoredEntry>, kind: string): Promise<StoredEntry | undefined> {
    try {
      const { value, done } = await entries.next();
      return done ? undefined : value;
    } catch (error) {
      const { message, cause } = error as Error;
      this.isComplete = false;
      this.findings.add("unreadable", kind, cause instanceof Error ? cause.message : message);
      return undefined;
    }
  }

  /** Counts a record that was read. */
  count(kind: string): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    this.#progress(++this.#records);
  }

  /** Adds a finding at a key. */
  found(code: FindingCode, key: Key, detail?: string): void {
    this.findings.add(code, placeOf(key), detail);
  }

  /** The decoded record; `undefined`, with a finding, when it cannot be decoded. */
  decode<T>(entry: StoredEntry, decode: (entry: StoredEntry) => T): T | undefined {
    try {
      return decode(entry);
    } catch (error) {
      this.found("undecodable", entry.key, (error as Error).message);
      return undefined;
    }
  }
}

/** A key for people: its parts with slashes between them. */
function placeOf(key: Key): string {
  return key.map((part: KeyPart) => part instanceof Uint8Array ? part.toHex() : String(part)).join("/");
}
