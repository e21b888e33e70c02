/**
 * Numbers of matching rows of sealed blocks by filter. A block never changes, so a repeated list counts only blocks that it
 * has not seen; the others are read only for the rows of the page.
 */
import { keyWeight, LruCache } from "../../../base/lru.ts";
import type { BlockPlaces } from "../blocks/sealed_rows.ts";
import type { BlockSummary } from "../rows/summary.ts";

/** Filters whose counts are remembered: 17 KB each for 10 million rows. */
const REMEMBERED_FILTERS = 100;

/** Orders and pages of a filter whose limits are remembered. */
const REMEMBERED_LIMITS = 50;

/** Matching rows of each block, and what limits the rows of pages in other orders than that of the ids. */
export class MatchCounts {
  #blocks: BlockPlaces;
  /** Count + 1 by place; 0 for an unknown one. */
  #counts: Uint16Array;
  readonly #limits = new LruCache<string, number>(REMEMBERED_LIMITS);

  constructor(blocks: BlockPlaces) {
    this.#blocks = blocks;
    this.#counts = new Uint16Array(blocks.blocks.length);
  }

  /** A number that the rows of a page did not exceed in their order; Infinity if it is not known. */
  limitOf(page: string): number {
    return this.#limits.get(page) ?? Infinity;
  }

  /** Remembers the limit of a page. */
  setLimit(page: string, limit: number): void {
    this.#limits.set(page, limit, keyWeight(page));
  }

  /** `undefined` if it is not known. */
  get(block: BlockSummary): number | undefined {
    const place = this.#blocks.places.get(block);
    const count = place === undefined ? 0 : this.#counts[place] as number;
    return count === 0 ? undefined : count - 1;
  }

  /** Remembers the count of a block. */
  set(block: BlockSummary, count: number): void {
    const place = this.#blocks.places.get(block);
    if (place !== undefined) this.#counts[place] = count + 1;
  }

  /** Keeps the counts of the blocks that are in both lists. */
  moveTo(next: BlockPlaces): void {
    if (next === this.#blocks) return;
    const [before, counts] = [this.#blocks.blocks, this.#counts];
    this.#blocks = next;
    this.#counts = new Uint16Array(next.blocks.length);
    before.forEach((block, place) => {
      const count = counts[place] as number;
      if (next.blocks[place] === block) this.#counts[place] = count;
      else if (count > 0) this.set(block, count - 1);
    });
  }
}

/** The counts of recently used filters. */
export class MatchCountCache {
  readonly #known = new LruCache<string, MatchCounts>(REMEMBERED_FILTERS);

  /** The counts of the filter that `key` identifies. */
  of(key: string, blocks: BlockPlaces): MatchCounts {
    const counts = this.#known.get(key) ?? new MatchCounts(blocks);
    counts.moveTo(blocks);
    this.#known.set(key, counts, keyWeight(key));
    return counts;
  }

  /** Forgets all counts. */
  clear(): void {
    this.#known.clear();
  }
}
