/** Unsealed rows of one tenant, all in memory. The rows of a commit are stored as one group until they are sealed. */
import { ROW_WORDS } from "./row.ts";
import { joinWords, mergeRows, type RowBlock } from "./row_block.ts";

/** The newest group is rewritten with further rows up to this number: 896 bytes, which stay in their database page. */
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

  /** Rows in all groups, including superseded ones. */
  get count(): number {
    return this.#count;
  }

  /** True when the group is in memory. */
  has(seq: number): boolean {
    return this.#groups.has(seq);
  }

  /** The group for `words` of commit `seq`: the newest group with the rows appended while it is small, else a new group. */
  place(words: Uint32Array, seq: number): RowGroup {
    const newest = this.#groups.get(this.#newest);
    if (newest && (newest.length + words.length) <= OPEN_GROUP_ROWS * ROW_WORDS) {
      return { seq: this.#newest, words: joinWords([newest, words]) };
    }
    return { seq, words };
  }

  /** Adds or replaces a group after it was stored. */
  set({ seq, words }: RowGroup): void {
    this.#count += (words.length - (this.#groups.get(seq)?.length ?? 0)) / ROW_WORDS;
    this.#groups.set(seq, words);
    this.#newest = Math.max(this.#newest, seq);
    this.#merged = undefined;
  }

  /** Removes sealed groups. */
  remove(groups: readonly RowGroup[]): void {
    for (const { seq } of groups) {
      this.#count -= (this.#groups.get(seq)?.length ?? 0) / ROW_WORDS;
      this.#groups.delete(seq);
    }
    this.#merged = undefined;
  }

  /** All groups except the newest, which may still grow; oldest first. */
  closedGroups(): RowGroup[] {
    return this.#sorted().filter(({ seq }) => seq !== this.#newest);
  }

  /** The latest row of each execution in id order, including tombstones. The same object until a change. */
  merged(): RowBlock {
    this.#merged ??= mergeRows(this.#sorted().map(({ words }) => words));
    return this.#merged;
  }

  #sorted(): RowGroup[] {
    return [...this.#groups].map(([seq, words]) => ({ seq, words })).sort((a, b) => a.seq - b.seq);
  }
}
