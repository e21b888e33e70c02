/** The rows in memory as a query sees them, and the stored copies that they hide. */
import { type BlockSummary, coveringBlock } from "./summary.ts";
import { compareIds, ROW_WORDS, TOMBSTONE_STATE } from "./row.ts";
import { mergeRows, type RowBlock, withoutState, wordsOf } from "./row_block.ts";
import type { RowColumns } from "./row_columns.ts";

/** Rows of a sealed block that a later row replaces or deletes. */
export interface HiddenRows {
  readonly rows: ReadonlySet<number>;
  /** These rows, for counting what must be taken off. */
  readonly copy: RowColumns;
}

/** Hidden rows by block. */
export type HiddenByBlock = ReadonlyMap<BlockSummary, HiddenRows>;

/** Rows in memory: unsealed and live ones. */
export interface Overlay {
  /** What can be listed. */
  readonly visible: RowBlock;
  /** The same and the rows of deleted executions: their ids hide sealed copies. */
  readonly all: RowBlock;
}

/** Live rows over unsealed ones; a live execution hides its stored rows. */
export function overlayOf(unsealed: RowBlock, live: Iterable<Uint8Array>): Overlay {
  const rows = [...live];
  const all = rows.length === 0 ? unsealed : mergeRows([unsealed.words, ...rows.map(wordsOf)]);
  return { all, visible: withoutState(all, TOMBSTONE_STATE) };
}

/** The sealed copies of the rows in `all`. `read` gives a block, if possible at once. */
export async function findHidden(
  all: RowBlock,
  blocks: readonly BlockSummary[],
  read: (summary: BlockSummary) => RowColumns | Promise<RowColumns>,
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

/** The rows of `all` by the index of the block whose range their id is in. */
function groupByBlock(all: RowBlock, blocks: readonly BlockSummary[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  const last = blocks[blocks.length - 1];
  if (!last) return groups;
  for (let row = 0; row < all.count; row++) {
    const at = row * ROW_WORDS;
    // Rows are in id order: once past the last block, all are.
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
