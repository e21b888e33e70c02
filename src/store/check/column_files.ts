/** Compares the column files beside a database with the blocks of the catalog, and writes them again. */
import type { Clock } from "../../base/time/clock.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { imageOf } from "../catalog/blocks/block_image.ts";
import { BlockReader } from "../catalog/blocks/block_reader.ts";
import {
  type ByteFiles,
  ColumnFile,
  ColumnFileError,
  type FileBlock,
} from "../catalog/blocks/column_file.ts";
import { validStamps, versionOf } from "../catalog/blocks/column_stamp.ts";
import { SealedRows } from "../catalog/blocks/sealed_rows.ts";
import { Pace } from "../catalog/pace.ts";
import type { RowBlock } from "../catalog/rows/row_block.ts";
import { summarize } from "../catalog/rows/summary.ts";
import { blockKey } from "../keys.ts";
import type { Store } from "../store.ts";
import type { CheckContext } from "./context.ts";

/** Blocks in memory while a file is written. */
const CACHE_BYTES = 16 * 1024 * 1024;

/** The column file of a tenant that a server would use. A server writes a file of an earlier state again: it is not compared. */
export class ColumnFileCheck {
  readonly #tenant: TenantId;
  readonly #context: CheckContext;
  readonly #file: ColumnFile;
  readonly #blocks: Map<string, FileBlock>;

  private constructor(
    tenant: TenantId,
    context: CheckContext,
    of: { readonly file: ColumnFile; readonly blocks: readonly FileBlock[] },
  ) {
    this.#tenant = tenant;
    this.#context = context;
    this.#file = of.file;
    this.#blocks = new Map(of.blocks.map((block) => [block.summary.firstId, block]));
  }

  /** `undefined` if there is no file that a server would use. */
  static async open(tenant: TenantId, context: CheckContext): Promise<ColumnFileCheck | undefined> {
    const { store, columns } = context;
    const bytes = columns?.files.open(tenant, false);
    if (!columns || !bytes) return undefined;
    const { files, clock } = columns;
    const file = new ColumnFile(bytes);
    const stamps = validStamps(await versionOf(store, tenant), files.systemRun);
    const blocks = await file.load(stamps, idlePace(clock)).catch((error) => {
      if (error instanceof ColumnFileError) return undefined;
      throw error;
    });
    if (blocks) {
      context.count("column files");
      return new ColumnFileCheck(tenant, context, { file, blocks });
    }
    file.close();
    return undefined;
  }

  /** Compares all that scans read of a block, which has at least one row. */
  compare(block: RowBlock): void {
    const summary = summarize(block);
    const found = this.#blocks.get(summary.firstId);
    this.#blocks.delete(summary.firstId);
    if (!found) return this.#found(summary.firstId, "the file does not have it");
    try {
      const [stored, filed] = [imageOf(summary, block.columns), imageOf(found.summary, found.columns)];
      const isSame = isEqual(stored.hot, filed.hot) && isEqual(stored.cold, filed.cold);
      if (!isSame) this.#found(summary.firstId, "the columns differ");
    } catch (error) {
      if (!(error instanceof ColumnFileError)) throw error;
      this.#found(summary.firstId, error.message);
    }
  }

  /** Reports blocks that the catalog does not have. */
  finish(): void {
    for (const firstId of this.#blocks.keys()) this.#found(firstId, "the catalog does not have it");
    this.#file.close();
  }

  #found(firstId: string, detail: string): void {
    this.#context.found("columns_differ", blockKey(this.#tenant, firstId), detail);
  }
}

interface RewriteOptions {
  readonly tenants: readonly TenantId[];
  readonly files: ByteFiles;
  readonly clock: Clock;
  /** Blocks of a tenant from which it has a column file. */
  readonly minFileBlocks?: number;
}

/** Writes the column files of the tenants that have enough blocks; removes the other ones. */
export async function rewriteColumnFiles(store: Store, options: RewriteOptions): Promise<void> {
  const { tenants, files, clock, minFileBlocks } = options;
  const pace = idlePace(clock);
  for (const tenant of tenants) {
    files.remove(tenant);
    const reader = new BlockReader(store, CACHE_BYTES);
    const rows = new SealedRows(tenant, { store, reader, files, minFileBlocks });
    await rows.load(pace);
    await rows.maintainFile(pace);
    await rows.close();
  }
}

function idlePace(clock: Clock): Pace {
  return new Pace(clock, () => false);
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
