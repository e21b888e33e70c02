/** The rows of a tenant's catalog as queries see them: unsealed rows hide sealed ones, removed executions have none. */
import type { TenantId } from "../../model/flows/flow.ts";
import { FlowCounts } from "../catalog/blocks/flow_counts.ts";
import { compareIds, ROW_WORDS, TOMBSTONE_STATE, unpackId } from "../catalog/rows/row.ts";
import { mergeRows, RowBlock, wordsOf } from "../catalog/rows/row_block.ts";
import { blockKey, blocksOf, catalogSnapshotKey, rowGroupsOf } from "../keys.ts";
import { oldBlocksOf } from "../old_keys.ts";
import type { StoredEntry } from "../store.ts";
import { ColumnFileCheck } from "./column_files.ts";
import type { CheckContext } from "./context.ts";

/** A row and the id of its execution. */
export interface CatalogRow {
  readonly id: string;
  readonly words: Uint32Array;
}

/** Reads the rows of one tenant in id order, once; checks blocks and counters on the way. */
export class CatalogRows {
  readonly #tenant: TenantId;
  readonly #context: CheckContext;
  readonly #counts = new FlowCounts();
  #isDamaged = false;

  constructor(tenant: TenantId, context: CheckContext) {
    this.#tenant = tenant;
    this.#context = context;
  }

  /** All rows; afterwards {@link checkCounts} can be called. */
  async *read(): AsyncGenerator<CatalogRow> {
    const unsealed = await this.#readUnsealed();
    let at = 0;
    for await (const block of this.#blocks()) {
      for (let row = 0; row < block.count; row++) {
        while (at < unsealed.count && compare(unsealed, at, block, row) < 0) yield* rowsOf(unsealed, at++);
        const isHidden = at < unsealed.count && compare(unsealed, at, block, row) === 0;
        if (!isHidden) yield* rowsOf(block, row);
      }
    }
    while (at < unsealed.count) yield* rowsOf(unsealed, at++);
  }

  /** Compares the stored counters with the sealed rows; a missing snapshot is counted again by the server. */
  async checkCounts(): Promise<void> {
    const key = catalogSnapshotKey(this.#tenant);
    const entry = await this.#context.store.get(key);
    if (!entry) return;
    this.#context.count("counters of the catalog");
    const stored = this.#context.decode(entry, ({ value }) => FlowCounts.decode(value) ?? this.#counts);
    const isRight = stored && textOf(stored) === textOf(this.#counts);
    if (isRight && !this.#isDamaged) return;
    if (!isRight) this.#context.found("counts_differ", key);
    this.#context.repairs.push({ type: "delete", key });
  }

  async #readUnsealed(): Promise<RowBlock> {
    const groups: Uint32Array[] = [];
    for await (const entry of this.#context.read(rowGroupsOf(this.#tenant), "catalog row groups")) {
      const words = this.#rowsOf(entry);
      if (words) groups.push(words);
    }
    return mergeRows(groups);
  }

  /** The rows of a block or group; removed by a repair, which writes them again, if they cannot be read. */
  #rowsOf(entry: StoredEntry): Uint32Array | undefined {
    try {
      const words = wordsOf(entry.value);
      if (words.length > 0) return words;
    } catch {
      // Reported below.
    }
    this.#reject(entry, `${entry.value.length} bytes`);
    return undefined;
  }

  #reject({ key }: StoredEntry, detail: string): void {
    this.#isDamaged = true;
    this.#context.found("block_unreadable", key, detail);
    this.#context.repairs.push({ type: "delete", key });
  }

  /** The sound blocks in id order. */
  async *#blocks(): AsyncGenerator<RowBlock> {
    let last: RowBlock | undefined;
    const columns = await ColumnFileCheck.open(this.#tenant, this.#context);
    for await (const entry of this.#storedBlocks()) {
      const words = this.#rowsOf(entry);
      if (!words) continue;
      const block = new RowBlock(words);
      const problem = this.#orderProblem(block, last, entry);
      if (problem) {
        this.#reject(entry, problem);
        continue;
      }
      this.#counts.add(block.columns, 1);
      columns?.compare(block);
      yield last = block;
    }
    columns?.finish();
  }

  /** Also those of an earlier format, which no server has moved yet: they are after the moved ones. */
  async *#storedBlocks(): AsyncGenerator<StoredEntry> {
    for (const blocks of [blocksOf(this.#tenant), oldBlocksOf(this.#tenant)]) {
      yield* this.#context.read(blocks, "catalog blocks");
    }
  }

  #orderProblem(block: RowBlock, last: RowBlock | undefined, { key }: StoredEntry): string | undefined {
    if (blockKey(this.#tenant, block.idAt(0))[2] !== key[2]) return "its first row is another one";
    if (last && compare(last, last.count - 1, block, 0) >= 0) return "it overlaps the block before it";
    for (let row = 1; row < block.count; row++) {
      if (compare(block, row - 1, block, row) >= 0) return "its rows are not in order";
    }
    return undefined;
  }
}

function* rowsOf(block: RowBlock, row: number): Generator<CatalogRow> {
  if (block.stateAt(row) !== TOMBSTONE_STATE) {
    yield {
      id: unpackId(block.words, row * ROW_WORDS),
      words: block.words.subarray(row * ROW_WORDS, (row + 1) * ROW_WORDS),
    };
  }
}

function compare(a: RowBlock, row: number, b: RowBlock, other: number): number {
  return compareIds(a.words, row * ROW_WORDS, b.words, other * ROW_WORDS);
}

function textOf(counts: FlowCounts): string {
  const flows = [...counts.toMap()].sort(([a], [b]) => a - b);
  return JSON.stringify(flows.map(([flowNo, states]) => [flowNo, [...states].sort()]));
}
