/** All catalog rows of one tenant: unsealed rows in memory, sealed rows in blocks. */
import type { TenantId } from "../../model/flows/flow.ts";
import type { State } from "../../model/executions/state.ts";
import { catalogSnapshotKey, rowGroupKey, rowGroupsOf } from "../keys.ts";
import type { Entry } from "../committer.ts";
import type { Mutation, Store } from "../store.ts";
import type { ChunkSpan } from "./blocks/chunk_spans.ts";
import type { BlockReader } from "./blocks/block_reader.ts";
import { FlowCounts } from "./blocks/flow_counts.ts";
import { moveOldBlocks } from "./blocks/old_blocks.ts";
import { findHidden, type HiddenByBlock, type Overlay, overlayOf } from "./rows/overlay.ts";
import type { Pace } from "./pace.ts";
import { compareIds, ROW_WORDS } from "./rows/row.ts";
import { RowBlock, wordsOf } from "./rows/row_block.ts";
import { groupsToSeal, packEntries, planChanges } from "./blocks/sealing.ts";
import { type BlockChange, type BlockPlaces, SealedRows, type SealedRowsDeps } from "./blocks/sealed_rows.ts";
import type { BlockSummary } from "./rows/summary.ts";
import { type RowGroup, UnsealedRows } from "./rows/unsealed_rows.ts";

/** With more rows in memory than this, counting reads all blocks instead of looking up each row. */
const MAX_LOOKUPS = 64;

/** A consistent snapshot for one query. */
interface View {
  readonly overlay: Overlay;
  readonly hidden: HiddenByBlock;
  readonly blocks: readonly BlockSummary[];
  readonly places: BlockPlaces;
  readonly spans: readonly ChunkSpan[];
  readonly total: BlockSummary | undefined;
}

interface TenantRowsDeps extends SealedRowsDeps {
  readonly commit: (entry: Entry) => Promise<void>;
}

/** Rows of one tenant. The async methods must not run concurrently; the catalog serialises them. */
export class TenantRows {
  readonly unsealed = new UnsealedRows();
  readonly #tenant: TenantId;
  readonly #store: Store;
  readonly #reader: BlockReader;
  readonly #commit: TenantRowsDeps["commit"];
  readonly #sealed: SealedRows;
  #hasGroups = false;
  #lastView: View | undefined;

  constructor(tenant: TenantId, deps: TenantRowsDeps) {
    this.#tenant = tenant;
    this.#store = deps.store;
    this.#reader = deps.reader;
    this.#commit = deps.commit;
    this.#sealed = new SealedRows(tenant, deps);
  }

  /** Reads the unsealed rows of earlier processes, and moves blocks of earlier formats; once. */
  async loadGroups(): Promise<void> {
    if (this.#hasGroups) return;
    // Before any block is read.
    await moveOldBlocks(this.#store, this.#tenant, this.#commit);
    const stored: RowGroup[] = [];
    for await (const { key, value } of this.#store.list(rowGroupsOf(this.#tenant))) {
      stored.push({ seq: Number(key[2]), words: wordsOf(value) });
    }
    // Synchronous: rows committed in between would be appended to a group that only seems to be the newest, before older rows.
    for (const group of stored) {
      // A group that this process has committed is newer than the stored one.
      if (!this.unsealed.has(group.seq)) this.unsealed.set(group);
    }
    this.#hasGroups = true;
  }

  /** Reads the data for queries and sealing; once. */
  async load(pace: Pace): Promise<void> {
    await this.loadGroups();
    await this.#sealed.load(pace);
  }

  /** Writes the derived column file where one is due. Requires {@link load}. */
  maintain(pace: Pace): Promise<void> {
    return this.#sealed.maintainFile(pace);
  }

  /** Lets {@link maintain} end early. */
  stopMaintenance(): void {
    this.#sealed.stopMaintenance();
  }

  /** Reads sealed rows from the database from now on. Called when the column file cannot be read. */
  giveUpFile(): void {
    this.#sealed.giveUpFile();
  }

  /** Ends the use of the column file. */
  close(): Promise<void> {
    return this.#sealed.close();
  }

  /** The current rows with the `live` rows on top. Requires {@link load}. */
  async view(live: Iterable<Uint8Array>): Promise<View> {
    const unsealed = this.unsealed.merged();
    const { blocks, places, spans, total } = this.#sealed;
    const overlay = overlayOf(unsealed, live);
    const last = this.#lastView;
    if (last && last.overlay.all === overlay.all && last.blocks === blocks) return last;
    const read = (summary: BlockSummary) => this.#reader.read(this.#tenant, summary);
    const hidden = await findHidden(overlay.all, blocks, read);
    const view = { overlay, hidden, blocks, places, spans, total };
    if (overlay.all === unsealed) this.#lastView = view;
    return view;
  }

  /** Seals the oldest rows through bulk entries; false when there is nothing to seal. Requires {@link load}. */
  async seal(): Promise<boolean> {
    const groups = groupsToSeal(this.unsealed.closedGroups());
    if (groups.length === 0) return false;
    const changes = await planChanges(
      groups,
      this.#sealed.blocks,
      (summary) => this.#reader.readStored(this.#tenant, summary),
    );
    for (const entry of packEntries(this.#tenant, changes, this.#sealingEnds(groups, changes))) {
      await this.#commit({ mutations: entry.mutations, bulk: true });
      this.#sealed.apply(entry.changes);
    }
    await this.#sealed.stamp();
    this.unsealed.remove(groups);
    return true;
  }

  /** NORMAL executions by flow number and state; from the stored snapshot while no block has been read. */
  async counts(live: Iterable<Uint8Array>, pace: Pace): Promise<Map<number, Map<State, number>>> {
    await this.loadGroups();
    const rows = [...live];
    const fromSnapshot = this.#sealed.isLoaded ? undefined : await this.#countFromSnapshot(rows);
    if (fromSnapshot) return fromSnapshot.toMap();
    await this.load(pace);
    const { overlay, hidden } = await this.view(rows);
    const counts = this.#sealed.counts.clone();
    for (const { copy } of hidden.values()) counts.add(copy, -1);
    counts.add(overlay.visible.columns, 1);
    return counts.toMap();
  }

  async #countFromSnapshot(live: Iterable<Uint8Array>): Promise<FlowCounts | undefined> {
    const snapshot = await this.#store.get(catalogSnapshotKey(this.#tenant));
    const newest = await this.#sealed.newestStored();
    const overlay = overlayOf(this.unsealed.merged(), live);
    const sealed = snapshot ? FlowCounts.decode(snapshot.value) : undefined;
    const lateRows = newest ? rowsUpTo(overlay.all, newest) : 0;
    if ((newest && !sealed) || lateRows > MAX_LOOKUPS) return undefined;
    const counts = sealed ?? new FlowCounts();
    for (let row = 0; row < lateRows; row++) {
      const block = await this.#sealed.findStored(overlay.all.idAt(row));
      const found = block?.find(overlay.all.words, row * ROW_WORDS) ?? -1;
      if (block && found >= 0) counts.add(new RowBlock(block.slice(found, found + 1)).columns, -1);
    }
    counts.add(overlay.visible.columns, 1);
    return counts;
  }

  /** `last` deletes the sealed groups and stores the snapshot of the counters; `first` deletes the old snapshot, because none is valid during a sealing. */
  #sealingEnds(groups: readonly RowGroup[], changes: readonly BlockChange[]) {
    const counts = this.#sealed.counts.clone();
    for (const { removed, added } of changes) {
      if (removed) counts.add(removed.block.columns, -1);
      for (const { block } of added) counts.add(block.columns, 1);
    }
    const key = catalogSnapshotKey(this.#tenant);
    const value = counts.encode(groups[groups.length - 1]?.seq ?? 0);
    const first: Mutation[] = [{ type: "delete", key }];
    const last: Mutation[] = groups.map(({ seq }) => ({
      type: "delete",
      key: rowGroupKey(this.#tenant, seq),
    }));
    return { first, last: [...last, { type: "set" as const, key, value }] };
  }
}

/** The number of leading rows that are not after the last row of `block`. */
function rowsUpTo(rows: RowBlock, block: RowBlock): number {
  const at = (block.count - 1) * ROW_WORDS;
  const row = rows.lowerBound(block.words, at);
  const isSame = row < rows.count && compareIds(rows.words, row * ROW_WORDS, block.words, at) === 0;
  return isSame ? row + 1 : row;
}
