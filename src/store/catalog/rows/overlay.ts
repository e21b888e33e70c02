/** The rows in memory that a query sees, and the stored copies that they hide. */
import { type BlockSummary, coveringBlock } from "./summary.ts";
import { compareIds, ROW_WORDS, TOMBSTONE_STATE } from "./row.ts";
import { mergeRows, type RowBlock, withoutState, wordsOf } from "./row_block.ts";
import type { RowColumns } from "./row_columns.ts";

/** Rows of a sealed block that a newer row replaces or deletes. */
export interface HiddenRows {
  readonly rows: ReadonlySet<number>;
  /** A copy of these rows, to subtract them from counts. */
  readonly copy: RowColumns;
}

/** Hidden rows by block. */
export type HiddenByBlock = ReadonlyMap<BlockSummary, HiddenRows>;

/** Unsealed and live rows. */
export interface Overlay {
  /** The rows to list. */
  readonly visible: RowBlock;
  /** The visible rows and the tombstones, whose ids hide sealed copies. */
  readonly all: RowBlock;
}

/** Merges live and unsealed rows; a live row replaces the unsealed row with the same id. */
export function overlayOf(unsealed: RowBlock, live: Iterable<Uint8Array>): Overlay {
  const rows = [...live];
  const all = rows.length === 0 ? unsealed : mergeRows([unsealed.words, ...rows.map(wordsOf)]);
  return { all, visible: withoutState(all, TOMBSTONE_STATE) };
}

/** The sealed copies of the rows in `all`. */
export async function findHidden(
  all: RowBlock,
  blocks: readonly BlockSummary[],
  read: (summary: BlockSummary) => Promise<RowColumns>,
): Promise<HiddenByBlock> {
  const found = new Map<BlockSummary, HiddenRows>();
  for (const [index, rows] of groupByBlock(all, blocks)) {
    const summary = blocks[index] as BlockSummary;
    const block = await read(summary);
    const hidden = new Set(rows.map((row) => block.find(all.words, row * ROW_WORDS)));
    hidden.delete(-1);
    if (hidden.size === 0) continue;
    const copy = block.pick([...hidden].sort((a, b) => a - b));
    found.set(summary, { rows: hidden, copy });
  }
  return found;
}

/** The rows of `all`, grouped by the index of the block whose range contains the id. */
function groupByBlock(all: RowBlock, blocks: readonly BlockSummary[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  const last = blocks[blocks.length - 1];
  if (!last) return groups;
  for (let row = 0; row < all.count; row++) {
    const at = row * ROW_WORDS;
    // Rows are in id order: all further rows are after the last block.
    if (compareIds(all.words, at, last.range, 4) > 0) break;
    const index = coveringBlock(blocks, all.words, at);
    const summary = blocks[index];
    if (!summary || compareIds(all.words, at, summary.range, 4) > 0) continue;
    const group = groups.get(index);
    if (group) group.push(row);
    else groups.set(index, [row]);
  }
  return groups;
}
