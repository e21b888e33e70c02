/**
 * Row groups of a Parquet file that is written. The package writes a group in one turn; here it writes each column by itself: few
 * bytes stand for many rows without values of many columns.
 */
import { gzipSync } from "node:zlib";
import type { CompressionCodec, RowGroup, SchemaElement } from "hyparquet";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import { type JsonObject, type JsonValue, ownProperty } from "../../../base/json.ts";
import { systemClock } from "../../../base/time/clock.ts";
import { Turns } from "../../../base/time/turn.ts";
import { sizeOf } from "../../value_size.ts";

const MAX_COLUMNS = 16_384;
const GROUP_ROWS = 10_000;
/** The rows of a group are in memory; their size is that of {@link sizeOf}. */
const GROUP_CHARS = 16 * 1024 * 1024;
/** Columns of all groups. What the footer says about them is in memory, 1.5 KB for each, and is written in one turn. */
const MAX_PARTS = 100_000;
/** Of the least and the greatest value of a column in a group, which are in memory, too. */
const MAX_BOUND_LENGTH = 1_000;
const TURN_MS = 10;

/** A column: its element of the schema, and its values as the writer takes them. */
export interface ParquetColumn {
  readonly element: SchemaElement;
  readonly encode: (value: JsonValue) => unknown;
}

/** A file to which rows are added. */
export class ParquetGroups {
  readonly #writer: ParquetWriter;
  readonly #columns: readonly ParquetColumn[];
  readonly #signal: AbortSignal;
  readonly #turns = new Turns(systemClock, TURN_MS);
  #rows: JsonObject[] = [];
  #chars = 0;

  /** @throws Error there are too many columns */
  constructor(
    path: string,
    { columns, codec, signal }: {
      readonly columns: readonly ParquetColumn[];
      readonly codec: CompressionCodec;
      readonly signal: AbortSignal;
    },
  ) {
    if (columns.length > MAX_COLUMNS) {
      throw new Error(`Cannot write the rows: the schema has more than ${MAX_COLUMNS} columns`);
    }
    const compressors = { GZIP: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)) };
    this.#writer = new ParquetWriter({ writer: fileWriter(path), schema: [], codec, compressors });
    this.#columns = columns;
    this.#signal = signal;
  }

  /** Adds a row. @throws Error a value does not fit its column, or there are too many groups */
  async add(row: JsonObject): Promise<void> {
    this.#chars += sizeOf(row);
    if (this.#rows.push(row) >= GROUP_ROWS || this.#chars >= GROUP_CHARS) await this.#write();
  }

  /** Writes what is left, and the footer. @throws Error as {@link add} */
  async end(): Promise<void> {
    if (this.#rows.length > 0) await this.#write();
    const elements = this.#columns.map(({ element }) => element);
    this.#writer.schema = [{ name: "root", num_children: elements.length }, ...elements];
    this.#writer.num_rows = this.#writer.row_groups.reduce((sum, { num_rows }) => sum + num_rows, 0n);
    await this.#writer.finish();
  }

  async #write(): Promise<void> {
    const { row_groups: groups } = this.#writer;
    if ((groups.length + 1) * this.#columns.length > MAX_PARTS) {
      throw new Error(
        `Cannot write the rows: ${this.#columns.length} columns have more than ${MAX_PARTS} parts, one for each group of ` +
          `at most ${GROUP_ROWS} rows; write fewer columns, or split the source`,
      );
    }
    const group: RowGroup = { columns: [], total_byte_size: 0n, num_rows: BigInt(this.#rows.length) };
    for (const column of this.#columns) {
      const part = this.#writeColumn(column);
      group.columns.push(...part?.columns ?? []);
      group.total_byte_size += part?.total_byte_size ?? 0n;
      await this.#turns.next();
      this.#signal.throwIfAborted();
    }
    groups.push(group);
    this.#rows = [];
    this.#chars = 0;
  }

  /** Writes a column of the rows: for the package, a group of its own. */
  #writeColumn({ element, encode }: ParquetColumn): RowGroup | undefined {
    const { name } = element;
    const data = this.#rows.map((row) => encode(ownProperty(row, name) ?? null));
    // The package reads the whole schema for each call.
    this.#writer.schema = [{ name: "root", num_children: 1 }, element];
    this.#writer.write({ columnData: [{ name, data }], rowGroupSize: data.length });
    const group = this.#writer.row_groups.pop();
    for (const { meta_data: meta } of group?.columns ?? []) {
      const { min_value: least, max_value: greatest, null_count } = meta?.statistics ?? {};
      if (meta && (isLong(least) || isLong(greatest))) meta.statistics = { null_count };
    }
    return group;
  }
}

function isLong(bound: unknown): boolean {
  return (typeof bound === "string" || bound instanceof Uint8Array) && bound.length > MAX_BOUND_LENGTH;
}
