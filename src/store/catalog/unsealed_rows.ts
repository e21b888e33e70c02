/** Rows of the latest commits of one tenant, all in memory: each commit's rows are one key until they are sealed. */
import { ROW_WORDS } from "./row.ts";
import { joinWords, mergeRows, type RowBlock } from "./row_block.ts";

/** A group is rewritten with the next rows appended up to this: 896 bytes, which stay in their database page. */
const OPEN_GROUP_ROWS = 16;

/** The rows of one key. */
export interface RowGroup {
  readonly seq: number;
  readonly words: Uint32Array;
}

/** Row groups by their number. */
export class UnsealedRows {
  readonly #groups = new Map<number, Uint32Array>();
  #newest = -1;
  #count = 0;
  #merged: RowBlock | undefined;

  /** Rows in all groups, superseded ones included. */
  get count(): number {
    return this.#count;
  }

  /** True when that group is here. */
  has(seq: number): boolean {
    return this.#groups.has(seq);
  }

  /** Where `words`, committed with number `seq`, belong: appended to the newest group while that is small, else on their own. */
  place(words: Uint32Array, seq: number): RowGroup {
    const newest = this.#groups.get(this.#newest);
    if (newest && (newest.length + words.length) <= OPEN_GROUP_ROWS * ROW_WORDS) {
      return { seq: this.#newest, words: joinWords([newest, words]) };
    }
    return { seq, words };
  }

  /** Takes a group as it is stored now. */
  set({ seq, words }: RowGroup): void {
    this.#count += (words.length - (this.#groups.get(seq)?.length ?? 0)) / ROW_WORDS;
    this.#groups.set(seq, words);
    this.#newest = Math.max(this.#newest, seq);
    this.#merged = undefined;
  }

  /** Forgets groups that were sealed. */
  remove(groups: readonly RowGroup[]): void {
    for (const { seq } of groups) {
      this.#count -= (this.#groups.get(seq)?.length ?? 0) / ROW_WORDS;
      this.#groups.delete(seq);
    }
    this.#merged = undefined;
  }

  /** All groups but the newest, which may still grow; oldest first. */
  closedGroups(): RowGroup[] {
    return this.#sorted().filter(({ seq }) => seq !== this.#newest);
  }

  /** The latest row of each execution, deleted ones included, in id order. The same object while nothing changes. */
  merged(): RowBlock {
    this.#merged ??= mergeRows(this.#sorted().map(({ words }) => words));
    return this.#merged;
  }

  #sorted(): RowGroup[] {
    return [...this.#groups].map(([seq, words]) => ({ seq, words })).sort((a, b) => a.seq - b.seq);
  }
}
