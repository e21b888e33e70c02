/** Runs a query over the rows in memory and the sealed blocks of one tenant. */
import type { TenantId } from "../../../model/flows/flow.ts";
import {
  Adders,
  type BlockChunk,
  type ChunkSums,
  type DurationSketches,
  type ReadBlock,
} from "../blocks/block_chunks.ts";
import type { BlockReader } from "../blocks/block_reader.ts";
import type { ChunkSpan } from "../blocks/chunk_spans.ts";
import type { ExecutionFilter } from "../filters/filter.ts";
import type { Doubt, FactVerdicts } from "../filters/fact_step.ts";
import type { HiddenByBlock, HiddenRows, Overlay } from "../rows/overlay.ts";
import type { MatchCounts } from "./match_counts.ts";
import type { Pace } from "../pace.ts";
import { compareIds } from "../rows/row.ts";
import { ID_WORDS, type RowColumns } from "../rows/row_columns.ts";
import type { RowOrder } from "./row_order.ts";
import type { BlockSummary } from "../rows/summary.ts";
import { type RowRef, TopRows } from "./top_rows.ts";

/** A consistent snapshot of the rows to scan. */
interface ScanInput {
  readonly tenant: TenantId;
  /** In id order. */
  readonly blocks: readonly BlockSummary[];
  /** The same blocks. */
  readonly spans: readonly ChunkSpan[];
  /** The summary of all blocks; `undefined` without blocks. */
  readonly total: BlockSummary | undefined;
  readonly overlay: Overlay;
  readonly hidden: HiddenByBlock;
  readonly filter: ExecutionFilter;
  /** Counts of the filter that are known. */
  readonly counts: MatchCounts;
  readonly reader: BlockReader;
  readonly verdicts: FactVerdicts;
  readonly pace: Pace;
}

/** The rows of a page in order, and the number of all matching rows. */
export interface ScanResult {
  readonly rows: readonly RowRef[];
  readonly total: number;
}

/** Gets rows of a block; the list is valid during the call. `summary` describes all rows of the block, if it is sealed. */
type VisitRows = (block: RowColumns, rows: Uint32Array, summary?: BlockSummary) => void;

/** Receives the rows of {@link Scan.visitAll}. */
interface RowVisitor {
  readonly visit: VisitRows;
  /** Absent: rows are visited one by one. */
  readonly sums?: WantedSums;
}

/** Receives sums instead of rows. */
interface WantedSums {
  accepts(summary: BlockSummary): boolean;
  /** Gets the sums of a chunk of which the places in `chosen` match. */
  visit(sums: ChunkSums, chosen: Uint32Array, summary: BlockSummary): void;
  /** Absent: sketches are not made. */
  readonly sketches?: {
    /** True if sketches of all flows together are of no use. */
    readonly isByFlow: boolean;
    /** Gets the sketches of the same chunk, or of all chunks of a span, of which the places in `chosen` match. */
    visit(sketches: DurationSketches, chosen: Uint32Array, summary: BlockSummary): void;
  };
}

/** One pass over the rows. */
export class Scan {
  readonly #input: ScanInput;
  #made: Adders | undefined;
  #doubts: readonly Doubt[] = [];
  #ahead = new Map<BlockSummary, RowColumns>();

  constructor(input: ScanInput) {
    this.#input = input;
  }

  /** Lists need none. */
  get #adders(): Adders {
    return this.#made ??= new Adders();
  }

  /** The page at `offset` in id order. */
  async listById(isDescending: boolean, offset: number, size: number): Promise<ScanResult> {
    const memory = this.#input.overlay.visible.columns;
    const selected = (await this.#select(memory)).slice();
    const page = new Page(memory, isDescending ? selected.reverse() : selected, {
      isDescending,
      offset,
      size,
    });
    const known = this.#knownTotal();
    const order = this.#blocksById(isDescending);
    for (let i = 0; i < order.length; i++) {
      if (known !== undefined && (known === 0 || page.isFull)) break;
      await this.#visit(order, i, page);
    }
    page.takeMemory();
    return { rows: page.rows, total: known === undefined ? page.position : known + selected.length };
  }

  /** The first rows after an id, in id order. */
  async listAfter(after: Uint32Array, size: number): Promise<readonly RowRef[]> {
    const memory = this.#input.overlay.visible.columns;
    const selected = await this.#select(memory);
    const page = new Page(memory, selected.slice(), { isDescending: false, offset: 0, size, after });
    const order = this.#input.blocks.filter(({ range }) => compareIds(range, ID_WORDS, after, 0) > 0);
    for (let i = 0; i < order.length && !page.isFull; i++) await this.#visit(order, i, page);
    page.takeMemory();
    return page.rows;
  }

  /** The page at `offset` in another order. */
  async listByOrder(order: RowOrder, offset: number, size: number): Promise<ScanResult> {
    const { counts } = this.#input;
    const key = `${order.key} ${offset + size}`;
    const limit = counts.limitOf(key);
    const found = await this.#listWithin(order, { offset, size, limit });
    if (found.isComplete) {
      counts.setLimit(key, found.limit);
      return found;
    }
    // Rows have been removed since the limit was found.
    counts.setLimit(key, Infinity);
    return await this.#listWithin(order, { offset, size, limit: Infinity });
  }

  /** The page of rows up to a limit; not complete if more rows would be in front of its end. */
  async #listWithin(
    order: RowOrder,
    { offset, size, limit }: { readonly offset: number; readonly size: number; readonly limit: number },
  ): Promise<ScanResult & { readonly isComplete: boolean; readonly limit: number }> {
    const { overlay, hidden, total: all, pace } = this.#input;
    const memory = overlay.visible.columns;
    const capacity = Math.min(offset + size, memory.count + (all?.rows ?? 0));
    const top = new TopRows(order, capacity, limit);
    const selected = await this.#select(memory);
    top.offer(memory, selected, undefined);
    const known = this.#knownTotal();
    let total = selected.length + (known ?? 0);
    const { blocks, bounds } = known === 0 ? NO_BLOCKS : this.#blocksByBounds(order);
    for (let i = 0; i < blocks.length; i++) {
      const summary = blocks[i] as BlockSummary;
      const last = top.last;
      const bound = bounds[i] as number[];
      const isClosed = (bound[0] as number) > top.limit ||
        (last && order.isBlockAfter(summary, bound, last.block, last.row));
      if (known !== undefined && isClosed) continue;
      const count = this.#countOf(summary);
      if (count !== undefined && (count === 0 || isClosed)) {
        if (known === undefined) total += count - (count > 0 ? this.#hiddenMatches(summary) : 0);
        continue;
      }
      const block = this.#peek(summary) ?? await this.#read(blocks, i);
      const rows = this.#selectNow(block, summary) ?? await this.#select(block, summary);
      this.#remember(summary, rows.length);
      if (known === undefined) total += countVisible(rows, hidden.get(summary));
      top.offer(block, rows, hidden.get(summary)?.rows);
      if (pace.isDue) await pace.pause();
    }
    const rows = top.take(offset);
    return { rows, total, limit: top.limit, isComplete: top.count >= Math.min(capacity, total) };
  }

  /** Passes the matching rows of each block to the visitor, or the sums of a chunk of blocks. */
  async visitAll(visitor: RowVisitor): Promise<void> {
    const { overlay, spans, filter } = this.#input;
    const memory = overlay.visible.columns;
    visitor.visit(memory, await this.#select(memory));
    const isByFlow = this.#isByFlow(visitor);
    for (const span of spans) {
      if (filter.countOf(span.summary) === 0) continue;
      if (!isByFlow || !await this.#visitSketches(span, visitor)) await this.#visitChunks(span, visitor);
    }
  }

  /** True if the visitor needs sketches by flow. */
  #isByFlow({ sums }: RowVisitor): boolean {
    return sums?.sketches !== undefined && (sums.sketches.isByFlow || this.#input.filter.hasFlows);
  }

  async #visitChunks({ chunks }: ChunkSpan, visitor: RowVisitor): Promise<void> {
    const { filter, pace } = this.#input;
    for (const chunk of chunks) {
      if (filter.countOf(chunk.summary) === 0 || await this.#visitSums(chunk, visitor)) continue;
      for (const part of chunk.parts) {
        if (!await this.#visitSums(part, visitor)) await this.#visitRows(part, visitor);
      }
      if (pace.isDue) await pace.pause();
    }
  }

  /** Visits the sums and the sketches by flow of a span; false if its chunks must be visited. */
  async #visitSketches(span: ChunkSpan, { sums: wanted }: RowVisitor): Promise<boolean> {
    const { filter, pace } = this.#input;
    const { summary, blocks } = span;
    if (!wanted?.sketches || !this.#canUseSums(span, wanted)) return false;
    const found = await span.sketches(this.#readerOf(blocks), this.#adders);
    if (!found) return false;
    for (const sums of found.sums) wanted.visit(sums, filter.select(sums.columns, summary), summary);
    const { sketches } = found;
    wanted.sketches.visit(sketches, filter.select(sketches.columns, summary), summary);
    if (pace.isDue) await pace.pause();
    return true;
  }

  /** False if the rows of the chunk must be visited. */
  async #visitSums(chunk: BlockChunk, visitor: RowVisitor): Promise<boolean> {
    const { filter, pace } = this.#input;
    const { sums: wanted } = visitor;
    if (!wanted || !this.#canUseSums(chunk, wanted) || this.#isByFlow(visitor)) return false;
    const read = this.#readerOf(chunk.blocks);
    const { summary } = chunk;
    const sums = await chunk.sums(read, this.#adders);
    if (sums) wanted.visit(sums, filter.select(sums.columns, summary), summary);
    if (sums && wanted.sketches) {
      const sketches = await chunk.sketches(read, this.#adders);
      wanted.sketches.visit(sketches, filter.select(sketches.columns, summary), summary);
    }
    if (pace.isDue) await pace.pause();
    return sums !== undefined;
  }

  /** True if flows and facts decide about all rows of these blocks, and none is hidden. */
  #canUseSums({ summary, blocks }: BlockChunk | ChunkSpan, wanted: WantedSums): boolean {
    const { filter, hidden } = this.#input;
    if (!wanted.accepts(summary) || !filter.isOfFacts(summary)) return false;
    return hidden.size === 0 || !blocks.some((block) => hidden.has(block));
  }

  /** Reads some of these blocks, at the pace of the scan. */
  #readerOf(blocks: readonly BlockSummary[]): ReadBlock {
    const { pace } = this.#input;
    return async (block) => {
      if (pace.isDue) await pace.pause();
      return this.#peek(block) ?? await this.#read(blocks, blocks.indexOf(block));
    };
  }

  async #visitRows({ blocks }: BlockChunk, { visit }: RowVisitor): Promise<void> {
    const { hidden, filter, pace } = this.#input;
    for (let i = 0; i < blocks.length; i++) {
      const summary = blocks[i] as BlockSummary;
      if (filter.countOf(summary) === 0) continue;
      const block = this.#peek(summary) ?? await this.#read(blocks, i);
      const rows = this.#selectNow(block, summary) ?? await this.#select(block, summary);
      visit(block, visibleOf(rows, hidden.get(summary)), summary);
      if (pace.isDue) await pace.pause();
    }
  }

  /** Counts the matches of a block; reads it only if rows of it are on the page or the summary does not determine the count. */
  async #visit(order: readonly BlockSummary[], index: number, page: Page): Promise<void> {
    const { hidden, pace } = this.#input;
    const summary = order[index] as BlockSummary;
    page.takeMemoryBefore(summary);
    const count = this.#countOf(summary);
    if (count === 0) return;
    if (count !== undefined && page.skip(summary, count - this.#hiddenMatches(summary))) return;
    const block = this.#peek(summary) ?? await this.#read(order, index);
    const rows = this.#selectNow(block, summary) ?? await this.#select(block, summary);
    this.#remember(summary, rows.length);
    const hiddenRows = hidden.get(summary);
    if (!page.skip(summary, countVisible(rows, hiddenRows))) page.take(block, rows, hiddenRows);
    if (pace.isDue) await pace.pause();
  }

  /**
   * The number of matching rows of a block with hidden ones, by an earlier pass or the summary. Hidden rows that an earlier
   * pass counted by facts of records cannot be subtracted: the records belong to the newer rows.
   */
  #countOf(summary: BlockSummary): number | undefined {
    const { counts, filter, hidden } = this.#input;
    const isInexact = filter.hasRecordFacts && hidden.has(summary);
    return (isInexact ? undefined : counts.get(summary)) ?? filter.countOf(summary);
  }

  /** With hidden rows the count would not include doubts about them. */
  #remember(summary: BlockSummary, count: number): void {
    if (!this.#input.hidden.has(summary)) this.#input.counts.set(summary, count);
  }

  /** The number of matching sealed rows; `undefined` when the summaries do not determine it. */
  #knownTotal(): number | undefined {
    const { total, filter, hidden } = this.#input;
    if (!total) return 0;
    let count = filter.countOf(total);
    if (count === undefined || count === 0) return count;
    for (const summary of hidden.keys()) count -= this.#hiddenMatches(summary);
    return count;
  }

  /** The number of hidden rows in a count that involves no facts of records, so that there are no doubts. */
  #hiddenMatches(summary: BlockSummary): number {
    const hidden = this.#input.hidden.get(summary);
    return hidden ? this.#input.filter.select(hidden.copy).length : 0;
  }

  /** The rows that pass; verifies doubtful ones with the records. */
  async #select(block: RowColumns, summary?: BlockSummary): Promise<Uint32Array> {
    const { verdicts, tenant, pace } = this.#input;
    for (;;) {
      const rows = this.#selectNow(block, summary);
      if (rows) return rows;
      await verdicts.settle(tenant, this.#doubts);
      if (pace.isDue) await pace.pause();
    }
  }

  /** The rows that pass; `undefined` while visible rows are in doubt. Doubts about hidden rows are dropped: the record belongs to the newer row. */
  #selectNow(block: RowColumns, summary?: BlockSummary): Uint32Array | undefined {
    const { filter, hidden } = this.#input;
    const rows = filter.select(block, summary);
    if (!filter.hasDoubts) return rows;
    const hiddenRows = summary && hidden.get(summary)?.rows;
    this.#doubts = filter.takeDoubts().filter(({ row }) => !hiddenRows?.has(row));
    return this.#doubts.length > 0 ? undefined : rows;
  }

  #peek(summary: BlockSummary): RowColumns | undefined {
    return this.#input.reader.peek(summary) ?? this.#ahead.get(summary);
  }

  async #read(order: readonly BlockSummary[], index: number): Promise<RowColumns> {
    const { reader, tenant } = this.#input;
    const summary = order[index] as BlockSummary;
    this.#ahead = await reader.readAhead(tenant, order, index);
    return this.#ahead.get(summary) as RowColumns;
  }

  #blocksById(isDescending: boolean): readonly BlockSummary[] {
    const { blocks } = this.#input;
    return isDescending ? blocks.toReversed() : blocks;
  }

  /** Blocks by ascending bounds; of equal blocks the newest first. */
  #blocksByBounds(order: RowOrder): { blocks: readonly BlockSummary[]; bounds: readonly number[][] } {
    const ranked = this.#input.blocks.map((summary, index) => ({
      summary,
      index,
      bounds: order.bounds(summary),
    }));
    ranked.sort((a, b) => compareNumbers(a.bounds, b.bounds) || b.index - a.index);
    return { blocks: ranked.map(({ summary }) => summary), bounds: ranked.map(({ bounds }) => bounds) };
  }
}

const NO_BLOCKS = { blocks: [], bounds: [] };

function countVisible(rows: Uint32Array, hidden: HiddenRows | undefined): number {
  if (!hidden) return rows.length;
  let count = 0;
  for (const row of rows) if (!hidden.rows.has(row)) count++;
  return count;
}

function visibleOf(rows: Uint32Array, hidden: HiddenRows | undefined): Uint32Array {
  return hidden ? rows.filter((row) => !hidden.rows.has(row)) : rows;
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

/** Which rows are on a page. */
interface PagePlace {
  readonly isDescending: boolean;
  readonly offset: number;
  readonly size: number;
  /** The words of an id: rows up to it are left out. */
  readonly after?: Uint32Array;
}

/** A page in id order, merged from two sources: the rows in memory and the visited blocks. */
class Page {
  readonly rows: RowRef[] = [];
  /** Number of matching rows passed so far. */
  position = 0;
  readonly #memory: RowColumns;
  readonly #selected: Uint32Array;
  readonly #isDescending: boolean;
  readonly #offset: number;
  readonly #size: number;
  readonly #after: Uint32Array | undefined;
  #next = 0;

  /** `selected`: the matching rows of `memory` in page order. */
  constructor(memory: RowColumns, selected: Uint32Array, page: PagePlace) {
    this.#memory = memory;
    this.#selected = selected;
    this.#isDescending = page.isDescending;
    this.#offset = page.offset;
    this.#size = page.size;
    this.#after = page.after;
  }

  get isFull(): boolean {
    return this.rows.length >= this.#size;
  }

  /** Passes the rows in memory that come before all rows of the block. */
  takeMemoryBefore(summary: BlockSummary): void {
    this.#takeMemoryUntil(summary.range, this.#isDescending ? 4 : 0);
  }

  /** Passes all remaining rows in memory. */
  takeMemory(): void {
    while (this.#next < this.#selected.length) this.#takeNext();
  }

  /** Passes `count` rows of a block and the rows in memory between them; false, without passing any, when one of them is on the page. */
  skip(summary: BlockSummary, count: number): boolean {
    let next = this.#next;
    while (next < this.#selected.length && this.#isBefore(next, summary.range, this.#isDescending ? 0 : 4)) {
      next++;
    }
    const position = this.position + count + next - this.#next;
    if (!this.isFull && position > this.#offset) return false;
    this.position = position;
    this.#next = next;
    return true;
  }

  /** Passes the given rows (ascending) of a block, merged with the rows in memory. */
  take(block: RowColumns, rows: Uint32Array, hidden: HiddenRows | undefined): void {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[this.#isDescending ? rows.length - 1 - i : i] as number;
      if (hidden?.rows.has(row)) continue;
      this.#takeMemoryUntil(block.ids, row * ID_WORDS);
      this.#add(block, row);
    }
  }

  #takeMemoryUntil(words: Uint32Array, at: number): void {
    while (this.#next < this.#selected.length && this.#isBefore(this.#next, words, at)) this.#takeNext();
  }

  #takeNext(): void {
    this.#add(this.#memory, this.#selected[this.#next++] as number);
  }

  #isBefore(next: number, words: Uint32Array, at: number): boolean {
    const row = this.#selected[next] as number;
    const order = compareIds(this.#memory.ids, row * ID_WORDS, words, at);
    return this.#isDescending ? order > 0 : order < 0;
  }

  #add(block: RowColumns, row: number): void {
    if (this.#after && compareIds(block.ids, row * ID_WORDS, this.#after, 0) <= 0) return;
    if (this.position >= this.#offset && !this.isFull) this.rows.push({ block, row });
    this.position++;
  }
}
