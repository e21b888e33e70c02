/**
 * The column file of a tenant: a log of the changes of its sealed blocks, in the form that scans read. It is derived from the
 * blocks in the database and saves reading them: at boot, and for the cold columns of a scan. A stamp after each sealing says
 * which state of the database the log describes; a log whose last stamp is another one is written again.
 */
import { RecentCache } from "../../../base/lru.ts";
import { columnsOf, imageOf, readSummary, SUMMARY_BYTES } from "./block_image.ts";
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
  /** Waits until the disk has stored what was written. */
  sync(): Promise<void>;
  /** Closes the file. */
  close(): void;
}

/** The derived files beside a database. */
export interface ByteFiles {
  /** Identifies the run of the operating system: only within it is what was written without `sync` certainly complete. */
  readonly systemRun: string | undefined;
  /** Opens a file; `isNew` empties it. `undefined` if it does not exist. */
  open(name: string, isNew: boolean): ByteFile | undefined;
  /** Removes a file, if it exists. */
  remove(name: string): void;
}

/** A sealed block in the file. Its hot columns are read by the first access, its cold ones by each. */
class FileBlock {
  readonly summary: BlockSummary;
  readonly #read: () => RowColumns;
  #columns: RowColumns | undefined;

  constructor(summary: BlockSummary, read: () => RowColumns) {
    this.summary = summary;
    this.#read = read;
  }

  get columns(): RowColumns {
    return this.#columns ??= this.#read();
  }
}

/** `[kind, bytes of the hot part, bytes of the cold part, mark]` precede each record. */
const HEAD_WORDS = 4;
const HEAD_BYTES = HEAD_WORDS * 4;
const KIND = { block: 1, removal: 2, stamp: 3 } as const;
/** Changes with the form of the records. */
const MARK = 0x534c_4301;
/** Cold columns in memory. */
const CACHE_BYTES = 12 * 1024 * 1024;
/** A file with more than this, and more garbage than blocks, is written again. */
const MIN_GARBAGE_BYTES = 64 * 1024 * 1024;

/** One log. */
export class ColumnFile {
  readonly #file: ByteFile;
  readonly #cache = new RecentCache<number, Uint8Array>(CACHE_BYTES, ({ length }) => length);
  /** Bytes of each block. */
  readonly #sizes = new Map<string, number>();
  #scratch = new Uint8Array(0);
  #end = 0;
  #used = 0;

  constructor(file: ByteFile) {
    this.#file = file;
  }

  /** True when a new file would have less than half the size. */
  get isWasteful(): boolean {
    return this.#end > MIN_GARBAGE_BYTES && this.#end > 2 * this.#used;
  }

  /** The blocks in id order if the last stamp is one of `stamps`; `undefined` for any other or damaged file. */
  async load(stamps: readonly string[], pace: Pace): Promise<FileBlock[] | undefined> {
    const blocks = new Map<string, FileBlock>();
    const size = this.#file.size();
    let stamp: string | undefined;
    while (this.#end < size) {
      const record = this.#readRecord(size);
      if (!record) return undefined;
      const { kind, begin, hotBytes, end } = record;
      if (kind === KIND.block) {
        const block = this.#blockOf(readSummary(begin), this.#end + HEAD_BYTES, hotBytes);
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
    this.#append(KIND.block, hot, cold);
    this.#count(summary, this.#end - at);
    return this.#blockOf(summary, at + HEAD_BYTES, hot.length);
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
    const bytes = new Uint8Array(Math.min(HEAD_BYTES + SUMMARY_BYTES, size - this.#end));
    this.#file.read(bytes, this.#end);
    if (bytes.length < HEAD_BYTES) return undefined;
    const head = new Uint32Array(bytes.buffer, 0, HEAD_WORDS);
    const hotBytes = head[1] as number;
    const end = this.#end + HEAD_BYTES + hotBytes + (head[2] as number);
    if (head[3] !== MARK || end > size) return undefined;
    return { kind: head[0], begin: bytes.subarray(HEAD_BYTES, HEAD_BYTES + hotBytes), hotBytes, end };
  }

  #append(kind: number, hot: Uint8Array, cold: Uint8Array = new Uint8Array(0)): void {
    const record = new Uint8Array(HEAD_BYTES + hot.length + cold.length);
    new Uint32Array(record.buffer, 0, HEAD_WORDS).set([kind, hot.length, cold.length, MARK]);
    record.set(hot, HEAD_BYTES);
    record.set(cold, HEAD_BYTES + hot.length);
    this.#file.write(record, this.#end);
    this.#end += record.length;
  }

  #blockOf(summary: BlockSummary, hotAt: number, hotBytes: number): FileBlock {
    const coldAt = hotAt + hotBytes;
    return new FileBlock(summary, () => {
      const hot = new Uint8Array(hotBytes);
      this.#file.read(hot, hotAt);
      return columnsOf(
        summary,
        hot,
        (from, length, validity) =>
          validity === "kept"
            ? this.#readKept(coldAt + from, length)
            : this.#readScratch(coldAt, from, length),
      );
    });
  }

  #readKept(at: number, length: number): Uint8Array {
    const known = this.#cache.get(at);
    if (known) return known;
    const bytes = new Uint8Array(length);
    this.#file.read(bytes, at);
    this.#cache.set(at, bytes);
    return bytes;
  }

  /** Reads into the same memory again: a scan of a label reads 200 MB. Columns of the same block do not overlap in it. */
  #readScratch(coldAt: number, from: number, length: number): Uint8Array {
    if (this.#scratch.length < from + length) this.#scratch = new Uint8Array(2 * (from + length));
    const into = this.#scratch.subarray(from, from + length);
    if (length > 0) this.#file.read(into, coldAt + from);
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

function textOf(padded: Uint8Array): string {
  return new TextDecoder().decode(padded).trimEnd();
}
