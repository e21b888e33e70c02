/** Reads sealed blocks: those in a column file from there, others through a cache of bounded size. */
import type { TenantId } from "../../../model/flows/flow.ts";
import { blockKey } from "../../keys.ts";
import type { Store } from "../../store.ts";
import { RowBlock } from "../rows/row_block.ts";
import type { RowColumns } from "../rows/row_columns.ts";
import type { BlockSummary } from "../rows/summary.ts";

/** Blocks fetched at once: the key limit of one Deno KV read. */
const FETCH_BLOCKS = 10;

interface FiledBlock {
  readonly summary: BlockSummary;
  readonly columns: RowColumns;
}

interface Cached {
  readonly block: RowColumns;
  lastScan: number;
}

/**
 * Cached blocks by summary. A full cache drops the least recently used block, but never one that the current scan has used:
 * otherwise a scan larger than the cache would drop each block just before the next scan needs it.
 */
export class BlockReader {
  readonly #store: Store;
  readonly #maxBytes: number;
  readonly #cache = new Map<BlockSummary, Cached>();
  readonly #filed = new Map<BlockSummary, FiledBlock>();
  #bytes = 0;
  #scan = 0;

  constructor(store: Store, maxBytes: number) {
    this.#store = store;
    this.#maxBytes = maxBytes;
  }

  /** Bytes of all cached blocks. */
  get cachedBytes(): number {
    return this.#bytes;
  }

  /** Starts a new scan. */
  beginScan(): void {
    this.#scan++;
  }

  /** The block if it is cached or in a column file. */
  peek(summary: BlockSummary): RowColumns | undefined {
    const filed = this.#filed.get(summary);
    if (filed) return filed.columns;
    const cached = this.#cache.get(summary);
    if (!cached) return undefined;
    if (cached.lastScan !== this.#scan) {
      cached.lastScan = this.#scan;
      this.#cache.delete(summary);
      this.#cache.set(summary, cached);
    }
    return cached.block;
  }

  /** The block, from the cache or the store. @throws Error when the stored block does not match the summary */
  async read(tenant: TenantId, summary: BlockSummary): Promise<RowColumns> {
    const cached = this.peek(summary);
    if (cached) return cached;
    const [block] = await this.#fetch(tenant, [summary]);
    return block as RowColumns;
  }

  /** The stored rows, without caching them. @throws Error when the stored block does not match the summary */
  async readStored(tenant: TenantId, summary: BlockSummary): Promise<RowBlock> {
    const entry = await this.#store.get(blockKey(tenant, summary.firstId));
    return blockOf(entry?.value, summary);
  }

  /** Reads up to ten uncached blocks of `summaries`, starting at `from`, which is always among them; returned by summary. */
  async readAhead(
    tenant: TenantId,
    summaries: readonly BlockSummary[],
    from: number,
  ): Promise<Map<BlockSummary, RowColumns>> {
    const wanted: BlockSummary[] = [];
    for (let i = from; i < summaries.length && wanted.length < FETCH_BLOCKS; i++) {
      const summary = summaries[i] as BlockSummary;
      if (!this.#cache.has(summary) && !this.#filed.has(summary)) wanted.push(summary);
    }
    const blocks = await this.#fetch(tenant, wanted);
    return new Map(wanted.map((summary, index) => [summary, blocks[index] as RowColumns]));
  }

  /** Caches a block if there is room. */
  keep(summary: BlockSummary, block: RowColumns): void {
    this.forget(summary);
    const size = block.memoryBytes;
    while (this.#bytes + size > this.#maxBytes) {
      const oldest = this.#cache.entries().next();
      if (oldest.done || oldest.value[1].lastScan === this.#scan) return;
      this.forget(oldest.value[0]);
    }
    this.#cache.set(summary, { block, lastScan: this.#scan });
    this.#bytes += size;
  }

  /** Keeps a block of a column file. */
  keepFiled(block: FiledBlock): void {
    this.forget(block.summary);
    this.#filed.set(block.summary, block);
  }

  /** Drops a block, for example one that was replaced. */
  forget(summary: BlockSummary): void {
    this.#filed.delete(summary);
    const cached = this.#cache.get(summary);
    if (!cached) return;
    this.#bytes -= cached.block.memoryBytes;
    this.#cache.delete(summary);
  }

  async #fetch(tenant: TenantId, summaries: readonly BlockSummary[]): Promise<RowColumns[]> {
    const entries = await this.#store.getMany(summaries.map(({ firstId }) => blockKey(tenant, firstId)));
    return summaries.map((summary, index) => {
      const block = blockOf(entries[index]?.value, summary).columns;
      this.keep(summary, block);
      return block;
    });
  }
}

function blockOf(bytes: Uint8Array | undefined, summary: BlockSummary): RowBlock {
  const block = RowBlock.fromBytes(bytes ?? new Uint8Array(0), summary);
  if (block.count === summary.rows) return block;
  throw new Error(`Cannot read catalog block "${summary.firstId}": it has ${block.count} rows`);
}
