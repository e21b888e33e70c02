/** Sealed blocks of one tenant: the summaries are in memory, the rows in the store. */
import type { TenantId } from "../../model/flows/flow.ts";
import { blockKey } from "../keys.ts";
import type { Store, StoredEntry } from "../store.ts";
import type { BlockReader } from "./block_reader.ts";
import { FlowCounts } from "./flow_counts.ts";
import type { Pace } from "./pace.ts";
import { RowBlock } from "./row_block.ts";
import { type BlockSummary, summarize, summarizeAll } from "./summary.ts";

/** Blocks of one page of a list: 2 MB. */
const LOAD_BLOCKS = 32;
/** Sorts after every id. */
const AFTER_ALL_IDS = "~";

/** A change of blocks: one is removed, others are added. */
export interface BlockChange {
  readonly removed: { readonly summary: BlockSummary; readonly block: RowBlock } | undefined;
  readonly added: readonly { readonly summary: BlockSummary; readonly block: RowBlock }[];
}

/** Summaries in id order, and their totals. */
export class SealedRows {
  readonly #tenant: TenantId;
  readonly #store: Store;
  readonly #reader: BlockReader;
  readonly #counts = new FlowCounts();
  #blocks: readonly BlockSummary[] = [];
  #total: BlockSummary | undefined;
  #isLoaded = false;

  constructor(tenant: TenantId, store: Store, reader: BlockReader) {
    this.#tenant = tenant;
    this.#store = store;
    this.#reader = reader;
  }

  /** True once every block was read. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** In id order; each change creates a new list. */
  get blocks(): readonly BlockSummary[] {
    return this.#blocks;
  }

  /** The summary of all blocks; `undefined` without blocks. */
  get total(): BlockSummary | undefined {
    return this.#total;
  }

  /** Counters of the sealed rows; read-only. */
  get counts(): FlowCounts {
    return this.#counts;
  }

  /** Reads every block once, newest first, so that the newest blocks are cached. */
  async load(pace: Pace): Promise<void> {
    if (this.#isLoaded) return;
    const blocks: BlockSummary[] = [];
    let page = this.#listBefore(AFTER_ALL_IDS, LOAD_BLOCKS);
    for (let entries = await page; entries.length > 0; entries = await page) {
      // Prefetches the next page while this one is read.
      page = this.#listBefore(firstIdOf(entries[entries.length - 1] as StoredEntry), LOAD_BLOCKS);
      for (const entry of entries) {
        const { summary, block } = sealedBlock(entry.value);
        blocks.push(summary);
        this.#reader.keep(summary, block.columns);
        this.#counts.add(block.columns, 1);
        if (pace.isDue) await pace.pause();
      }
    }
    this.#set(blocks.reverse());
    this.#isLoaded = true;
  }

  /** The stored block whose range contains the id, read without the summaries. */
  async findStored(id: string): Promise<RowBlock | undefined> {
    const [entry] = await this.#listBefore(`${id}\u0000`, 1);
    return entry && RowBlock.fromBytes(entry.value);
  }

  /** The newest stored block, read without the summaries. */
  newestStored(): Promise<RowBlock | undefined> {
    return this.findStored(AFTER_ALL_IDS);
  }

  /** Applies stored changes. */
  apply(changes: readonly BlockChange[]): void {
    const removed = new Set(changes.map((change) => change.removed?.summary));
    const kept = this.#blocks.filter((block) => !removed.has(block));
    for (const { removed, added } of changes) {
      if (removed) {
        this.#reader.forget(removed.summary);
        this.#counts.add(removed.block.columns, -1);
      }
      for (const { summary, block } of added) {
        this.#reader.keep(summary, block.columns);
        this.#counts.add(block.columns, 1);
        kept.push(summary);
      }
    }
    this.#set(kept.sort((a, b) => a.firstId < b.firstId ? -1 : 1));
  }

  async #listBefore(id: string, limit: number): Promise<StoredEntry[]> {
    const selector = { start: blockKey(this.#tenant, ""), end: blockKey(this.#tenant, id) };
    return await Array.fromAsync(this.#store.list(selector, { reverse: true, limit }));
  }

  #set(blocks: readonly BlockSummary[]): void {
    this.#blocks = blocks;
    this.#total = blocks.length > 0 ? summarizeAll(blocks) : undefined;
  }
}

/** A block and its summary, which is its identity. */
export function sealedBlock(bytes: Uint8Array): { summary: BlockSummary; block: RowBlock } {
  const plain = RowBlock.fromBytes(bytes);
  const summary = summarize(plain);
  return { summary, block: new RowBlock(plain.words, summary) };
}

function firstIdOf(entry: StoredEntry): string {
  return String(entry.key[2]);
}
