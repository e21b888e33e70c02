/**
 * The column file of a tenant: a log of the changes of its sealed blocks, in the form that scans read. It is derived from the
 * blocks in the database and saves reading them: at boot, and for the cold columns of a scan. A stamp after each sealing says
 * which state of the database the log describes; a log whose last stamp is another one is written again.
 */
import { crc32 } from "node:zlib";
import { RecentCache } from "../../../base/lru.ts";
import { type ColumnForm, columnsOf, imageOf, readForm, readSummary, SUMMARY_BYTES } from "./block_image.ts";
import type { Pace } from "../pace.ts";
import { unpackId } from "../rows/row.ts";
import { ID_WORDS, type RowColumns } from "../rows/row_columns.ts";
import type { BlockSummary } from "../rows/summary.ts";

/** A file that is read and written by position. Its methods block. */
export interface ByteFile {
  /** Fills `into` from position `at`. @throws Error when the file ends before, or cannot be read */
  read(into: Uint8Array, at: number): void;
  /** Writes at position `at`. @throws Error when the disk is full or fails */
  write(bytes: Uint8Array, at: number): void;
  /** Bytes of the file. */
  size(): number;
  /** Waits until the disk has stored what was written. @throws Error when the disk fails */
  sync(): Promise<void>;
  /** Closes the file. */
  close(): void;
}

/** The derived files beside a database. */
export interface ByteFiles {
  /** Identifies the run of the operating system: only within it is what was written without `sync` certainly complete. */
  readonly systemRun: string | undefined;
  /** Opens a file; `isNew` empties it. `undefined` if it does not exist. @throws Error when it cannot be opened */
  open(name: string, isNew: boolean): ByteFile | undefined;
  /** Removes a file, if it exists. @throws Error when it cannot be removed */
  remove(name: string): void;
}

/** Reading the file failed, or gave other bytes than were written. The database has the same rows. */
export class ColumnFileError extends Error {
  override readonly name = "ColumnFileError";
}

/** A sealed block in the file. Its hot columns are read by the first access, its cold ones by each. */
export class FileBlock {
  /** The identity of the block. */
  readonly summary: BlockSummary;
  readonly #read: () => RowColumns;
  #columns: RowColumns | undefined;

  constructor(summary: BlockSummary, read: () => RowColumns) {
    this.summary = summary;
    this.#read = read;
  }

  /** The rows. @throws ColumnFileError when they cannot be read */
  get columns(): RowColumns {
    return this.#columns ??= this.#read();
  }
}

/** Where the hot columns of a block are. */
interface HotPlace {
  readonly at: number;
  readonly bytes: number;
  readonly sum: number;
  readonly form: ColumnForm;
}

/**
 * `[kind, bytes of the hot part, bytes of the cold part, mark, checksum of these and the beginning, checksum of the rest of
 * the hot part]` precede each record; the beginning is the summary of a block, or all of another record. The first checksum
 * continues that of the record before, so that no record can be missing before a stamp. Cold columns have no checksum,
 * because they are read in parts; the doctor compares them with the database.
 */
const HEAD_WORDS = 6;
const SUMMED_WORDS = 4;
const HEAD_BYTES = HEAD_WORDS * 4;
const KIND = { block: 1, removal: 2, stamp: 3 } as const;
/** Changes with the form of the records. */
const MARK = 0x534c_4303;
/** Cold columns in memory. */
const CACHE_BYTES = 12 * 1024 * 1024;
/**
 * What is kept of the blocks of a loaded file lies in memory of this size: with an allocation for each, what is freed between
 * them stays resident. Blocks that are added later have memory of their own, because the newest is soon replaced.
 */
const SLAB_BYTES = 1024 * 1024;
/** A file with more than this, and more garbage than blocks, is written again. */
const MIN_GARBAGE_BYTES = 64 * 1024 * 1024;

/** One log. */
export class ColumnFile {
  readonly #file: ByteFile;
  readonly #cache = new RecentCache<number, Uint8Array>(CACHE_BYTES, ({ length }) => length);
  /** Bytes of each block. */
  readonly #sizes = new Map<string, number>();
  #scratch = new Uint8Array(0);
  #slab = new Uint8Array(0);
  #slabUsed = 0;
  #end = 0;
  /** Checksum of the records up to the end. */
  #sum = 0;
  #used = 0;

  constructor(file: ByteFile) {
    this.#file = file;
  }

  /** True when a new file would have less than half the size. */
  get isWasteful(): boolean {
    return this.#end > MIN_GARBAGE_BYTES && this.#end > 2 * this.#used;
  }

  /**
   * The blocks in id order if the last stamp is one of `stamps`; `undefined` for any other or damaged file.
   * @throws ColumnFileError when the file cannot be read
   */
  async load(stamps: readonly string[], pace: Pace): Promise<FileBlock[] | undefined> {
    const blocks = new Map<string, FileBlock>();
    const size = this.#size();
    let stamp: string | undefined;
    while (this.#end < size) {
      const record = this.#readRecord(size);
      if (!record) return undefined;
      const { kind, begin, hotBytes, end, restSum } = record;
      if (kind === KIND.block) {
        const summary = readSummary(begin);
        const place = {
          at: this.#end + HEAD_BYTES + SUMMARY_BYTES,
          bytes: hotBytes - SUMMARY_BYTES,
          sum: restSum,
          form: readForm(begin),
        };
        const block = new FileBlock(
          summary,
          () => this.#readColumns(summary, place, this.#takeSlab(place.bytes)),
        );
        blocks.set(block.summary.firstId, block);
        this.#count(block.summary, end - this.#end);
      } else if (kind === KIND.removal) {
        const id = unpackId(new Uint32Array(begin.buffer, begin.byteOffset, ID_WORDS), 0);
        blocks.delete(id);
        this.#discount(id);
      }
      stamp = kind === KIND.stamp ? textOf(begin) : undefined;
      this.#end = end;
      if (pace.isDue) await pace.pause();
    }
    if (stamp === undefined || !stamps.includes(stamp)) return undefined;
    return [...blocks.values()].sort((a, b) => a.summary.firstId < b.summary.firstId ? -1 : 1);
  }

  /** Appends a block. @throws Error when the disk is full or fails */
  add(summary: BlockSummary, columns: RowColumns): FileBlock {
    const { hot, cold } = imageOf(summary, columns);
    const at = this.#end;
    const sum = this.#append(KIND.block, hot, cold);
    this.#count(summary, this.#end - at);
    const place = {
      at: at + HEAD_BYTES + SUMMARY_BYTES,
      bytes: hot.length - SUMMARY_BYTES,
      sum,
      form: readForm(hot),
    };
    return new FileBlock(summary, () => this.#readColumns(summary, place, new Uint8Array(place.bytes)));
  }

  /** Notes that a block is gone. @throws Error when the disk is full or fails */
  remove({ firstId, range }: BlockSummary): void {
    const id = range.slice(0, ID_WORDS);
    this.#append(KIND.removal, new Uint8Array(id.buffer));
    this.#discount(firstId);
  }

  /** Notes which state of the database the blocks are. @throws Error when the disk is full or fails */
  stamp(text: string): void {
    const bytes = new TextEncoder().encode(text);
    const padded = new Uint8Array(bytes.length + 7 & ~7).fill(32);
    padded.set(bytes);
    this.#append(KIND.stamp, padded);
  }

  /** Waits until the disk has stored the file. */
  sync(): Promise<void> {
    return this.#file.sync();
  }

  /** Ends the use of the file. */
  close(): void {
    this.#file.close();
  }

  /** The next record with the summary of a block, or all of another one; `undefined` if it is damaged. */
  #readRecord(size: number) {
    const length = Math.min(HEAD_BYTES + SUMMARY_BYTES, size - this.#end);
    if (length < HEAD_BYTES) return undefined;
    const bytes = this.#takeSlab(length);
    this.#read(bytes, this.#end);
    const head = new Uint32Array(bytes.buffer, bytes.byteOffset, HEAD_WORDS);
    const [kind, hotBytes, coldBytes, mark, beginSum, restSum] = head as unknown as HeadWords;
    const end = this.#end + HEAD_BYTES + hotBytes + coldBytes;
    if (mark !== MARK || end > size) return undefined;
    const begin = bytes.subarray(HEAD_BYTES, HEAD_BYTES + hotBytes);
    if (sumOf(head, begin, this.#sum) !== beginSum) return undefined;
    this.#sum = beginSum;
    return { kind, begin, hotBytes, end, restSum };
  }

  /** Gives the checksum of the hot part behind its beginning. */
  #append(kind: number, hot: Uint8Array, cold: Uint8Array = new Uint8Array(0)): number {
    const record = new Uint8Array(HEAD_BYTES + hot.length + cold.length);
    const head = new Uint32Array(record.buffer, 0, HEAD_WORDS);
    head.set([kind, hot.length, cold.length, MARK]);
    const restSum = crc32(hot.subarray(SUMMARY_BYTES));
    const sum = sumOf(head, hot.subarray(0, SUMMARY_BYTES), this.#sum);
    head.set([sum, restSum], SUMMED_WORDS);
    record.set(hot, HEAD_BYTES);
    record.set(cold, HEAD_BYTES + hot.length);
    this.#file.write(record, this.#end);
    this.#end += record.length;
    this.#sum = sum;
    return restSum;
  }

  #size(): number {
    try {
      return this.#file.size();
    } catch (error) {
      throw unreadable(error);
    }
  }

  #read(into: Uint8Array, at: number): void {
    try {
      this.#file.read(into, at);
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** The block whose hot columns are read into `bytes`. */
  #readColumns(
    summary: BlockSummary,
    { at, bytes: length, sum, form }: HotPlace,
    bytes: Uint8Array,
  ): RowColumns {
    this.#read(bytes, at);
    if (crc32(bytes) !== sum) {
      throw new ColumnFileError(
        `Cannot read the columns of block "${summary.firstId}": their checksum differs`,
      );
    }
    const coldAt = at + length;
    return columnsOf(summary, form, {
      bytes,
      read: (from, size, validity) =>
        validity === "kept" ? this.#readKept(coldAt + from, size) : this.#readScratch(coldAt, from, size),
    });
  }

  /** Memory for what is kept of a loaded block; begins at a multiple of 8. */
  #takeSlab(length: number): Uint8Array {
    if (this.#slabUsed + length > this.#slab.length) {
      this.#slab = new Uint8Array(Math.max(SLAB_BYTES, length));
      this.#slabUsed = 0;
    }
    const from = this.#slabUsed;
    this.#slabUsed += length + 7 & ~7;
    return this.#slab.subarray(from, from + length);
  }

  #readKept(at: number, length: number): Uint8Array {
    const known = this.#cache.get(at);
    if (known) return known;
    const bytes = new Uint8Array(length);
    this.#read(bytes, at);
    this.#cache.set(at, bytes);
    return bytes;
  }

  /** Reads into the same memory again: a scan of a label reads 200 MB. Columns of the same block do not overlap in it. */
  #readScratch(coldAt: number, from: number, length: number): Uint8Array {
    if (this.#scratch.length < from + length) this.#scratch = new Uint8Array(2 * (from + length));
    const into = this.#scratch.subarray(from, from + length);
    if (length > 0) this.#read(into, coldAt + from);
    return into;
  }

  #count({ firstId }: BlockSummary, bytes: number): void {
    this.#discount(firstId);
    this.#sizes.set(firstId, bytes);
    this.#used += bytes;
  }

  #discount(firstId: string): void {
    this.#used -= this.#sizes.get(firstId) ?? 0;
    this.#sizes.delete(firstId);
  }
}

type HeadWords = [
  kind: number,
  hotBytes: number,
  coldBytes: number,
  mark: number,
  beginSum: number,
  restSum: number,
];

/** The checksum of a record after those with the checksum `before`. */
function sumOf(head: Uint32Array, begin: Uint8Array, before: number): number {
  return crc32(begin, crc32(new Uint8Array(head.buffer, head.byteOffset, SUMMED_WORDS * 4), before));
}

function unreadable(cause: unknown): ColumnFileError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ColumnFileError(`Cannot read the column file: ${reason}`, { cause });
}

function textOf(padded: Uint8Array): string {
  return new TextDecoder().decode(padded).trimEnd();
}
