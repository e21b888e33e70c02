/** Plans a sealing, which moves unsealed rows into blocks: the rewritten blocks, the new blocks, and the commits. */
import type { TenantId } from "../../../model/flows/flow.ts";
import { MAX_BULK_BYTES_PER_GROUP } from "../../../model/limits.ts";
import type { Mutation } from "../../store.ts";
import { blockKey } from "../../keys.ts";
import { MAX_BLOCK_ROWS, ROW_WORDS, TOMBSTONE_STATE } from "../rows/row.ts";
import { joinWords, mergeRows, RowBlock, withoutState } from "../rows/row_block.ts";
import { type BlockChange, sealedBlock } from "./sealed_rows.ts";
import { type BlockSummary, coveringBlock } from "../rows/summary.ts";
import type { RowGroup } from "../rows/unsealed_rows.ts";

/** Rows of one sealing: at least this many, and at most so many that a block of them fits into one bulk entry. */
const SEAL_ROWS = 1_000;
const MAX_SEAL_ROWS = 1_100;
/** Deletes of one sealing; restarts leave tiny groups. */
const MAX_SEAL_GROUPS = 200;
/** A larger bulk entry would have to wait for a group without other writes. */
const MAX_ENTRY_BYTES = MAX_BULK_BYTES_PER_GROUP - 2_048;
const MUTATION_BYTES = 80;

/** The oldest groups to seal together. */
export function groupsToSeal(closed: readonly RowGroup[]): RowGroup[] {
  const taken: RowGroup[] = [];
  let rows = 0;
  for (const group of closed) {
    const more = group.words.length / ROW_WORDS;
    if (rows >= SEAL_ROWS || taken.length >= MAX_SEAL_GROUPS) break;
    if (taken.length > 0 && rows + more > MAX_SEAL_ROWS) break;
    taken.push(group);
    rows += more;
  }
  return taken;
}

/**
 * The block changes that add the rows of `groups`. Rows newer than the last block fill it up or become new blocks. An older
 * row is merged into the block that covers its id and replaces the row with that id; a tombstone removes it.
 */
export async function planChanges(
  groups: readonly RowGroup[],
  blocks: readonly BlockSummary[],
  read: (summary: BlockSummary) => Promise<RowBlock>,
): Promise<BlockChange[]> {
  const batch = mergeRows(groups.map(({ words }) => words));
  const { late, fresh } = splitRows(batch, blocks);
  const changes: BlockChange[] = [];
  for (const [index, rows] of late) {
    const summary = blocks[index] as BlockSummary;
    const change = mergeInto({ summary, block: await read(summary) }, rows);
    if (change) changes.push(change);
  }
  const rest = withoutState(fresh, TOMBSTONE_STATE);
  if (rest.count > 0) changes.push({ removed: undefined, added: cut(rest) });
  return changes;
}

/** Rows by the index of the block that they are merged into, and rows after the last block. */
function splitRows(
  batch: RowBlock,
  blocks: readonly BlockSummary[],
): { late: Map<number, RowBlock>; fresh: RowBlock } {
  const last = blocks[blocks.length - 1];
  if (!last) return { late: new Map(), fresh: batch };
  const lastRow = batch.lowerBound(last.range, 4);
  const isOwn = lastRow < batch.count && batch.find(last.range, 4) === lastRow;
  const firstFresh = isOwn ? lastRow + 1 : lastRow;
  const fits = last.rows + batch.count - firstFresh <= MAX_BLOCK_ROWS;
  const lateEnd = fits ? batch.count : firstFresh;
  const runs = new Map<number, Uint32Array[]>();
  for (let row = 0; row < lateEnd; row++) {
    const index = Math.max(0, coveringBlock(blocks, batch.words, row * ROW_WORDS));
    const run = runs.get(index) ?? [];
    run.push(batch.slice(row, row + 1));
    runs.set(index, run);
  }
  const late = new Map([...runs].map(([index, words]) => [index, new RowBlock(joinWords(words))]));
  return { late, fresh: new RowBlock(batch.slice(lateEnd, batch.count)) };
}

function mergeInto(
  removed: { summary: BlockSummary; block: RowBlock },
  rows: RowBlock,
): BlockChange | undefined {
  const merged = withoutState(mergeRows([removed.block.words, rows.words]), TOMBSTONE_STATE);
  const hasRows = withoutState(rows, TOMBSTONE_STATE).count > 0;
  if (!hasRows && merged.count === removed.block.count) return undefined;
  return { removed, added: merged.count === 0 ? [] : cut(merged) };
}

/** Splits rows into blocks of about equal size within the limit. */
function cut(rows: RowBlock): BlockChange["added"] {
  const parts = Math.ceil(rows.count / MAX_BLOCK_ROWS);
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor(rows.count * part / parts);
    const to = Math.floor(rows.count * (part + 1) / parts);
    return sealedBlock(new RowBlock(rows.slice(from, to)).bytes);
  });
}

/** One commit of a sealing. */
interface SealingEntry {
  readonly mutations: readonly Mutation[];
  readonly changes: readonly BlockChange[];
}

/**
 * The commits of a sealing: one if everything fits. Otherwise the blocks come first and `last`, which deletes the groups,
 * at the end: after a crash in between, rows exist twice, and the unsealed row hides the sealed one. `first` is added to
 * the first of several commits.
 */
export function packEntries(
  tenant: TenantId,
  changes: readonly BlockChange[],
  ends: { readonly first: readonly Mutation[]; readonly last: readonly Mutation[] },
): SealingEntry[] {
  const entries: { mutations: Mutation[]; changes: BlockChange[] }[] = [{ mutations: [], changes: [] }];
  const open = () =>
    entries[entries.length - 1] as SealingEntry & { mutations: Mutation[]; changes: BlockChange[] };
  for (const change of changes) {
    const mutations = mutationsOf(tenant, change);
    if (sizeOf(open().mutations) + sizeOf(mutations) > MAX_ENTRY_BYTES && open().changes.length > 0) {
      entries.push({ mutations: [], changes: [] });
    }
    open().mutations.push(...mutations);
    open().changes.push(change);
  }
  if (sizeOf(open().mutations) + sizeOf(ends.last) > MAX_ENTRY_BYTES) {
    entries.push({ mutations: [], changes: [] });
  }
  open().mutations.push(...ends.last);
  if (entries.length > 1) entries[0]?.mutations.push(...ends.first);
  return entries;
}

function mutationsOf(tenant: TenantId, { removed, added }: BlockChange): Mutation[] {
  const sets: Mutation[] = added.map(({ summary, block }) => ({
    type: "set",
    key: blockKey(tenant, summary.firstId),
    value: block.bytes,
  }));
  const isReplaced = added.some(({ summary }) => summary.firstId === removed?.summary.firstId);
  if (!removed || isReplaced) return sets;
  return [{ type: "delete", key: blockKey(tenant, removed.summary.firstId) }, ...sets];
}

function sizeOf(mutations: readonly Mutation[]): number {
  return mutations.reduce(
    (sum, mutation) => sum + MUTATION_BYTES + (mutation.type === "set" ? mutation.value.length : 0),
    0,
  );
}
