/**
 * The form of a sealed block in the column file: its summary and hot columns, then its cold columns. All numbers are
 * little-endian; each part begins at a multiple of 8 bytes, so that columns are read in place.
 */
import { unpackId } from "../rows/row.ts";
import { type ColdColumns, type HotColumns, ID_WORDS, RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, COUNT_SLOTS, FLOW_BITS, TRIGGER_BITS } from "../rows/summary.ts";

/** Positions in the summary: words, doubles from word 12, bits and counters. */
const AT = { rows: 0, flags: 1, labelSlots: 2, range: 4, doubles: 12, flows: 22, triggers: 30, counts: 62 };
const SUMMARY_WORDS = 126;
/** Bytes of the summary, with which the hot part begins. */
export const SUMMARY_BYTES = SUMMARY_WORDS * 4;
const FLAG = { open: 1, moreLabels: 2, doubleStarts: 4, wideFlows: 8, wideDurations: 16, triggers: 32 };

/** A block as two byte strings. */
interface BlockImage {
  readonly hot: Uint8Array;
  readonly cold: Uint8Array;
}

/** The columns of a block in the file, without the cold ones. */
interface HotBlock {
  readonly columns: HotColumns;
  readonly hasTriggers: boolean;
}

/** The image of a block. */
export function imageOf(summary: BlockSummary, columns: RowColumns): BlockImage {
  const { flows, facts, starts, durations, ids, labels, triggers, triggerChecks } = columns;
  const head = new Uint32Array(SUMMARY_WORDS);
  const flags = (summary.hasOpen ? FLAG.open : 0) | (summary.hasMoreLabels ? FLAG.moreLabels : 0) |
    (starts instanceof Float64Array ? FLAG.doubleStarts : 0) |
    (flows instanceof Uint32Array ? FLAG.wideFlows : 0) |
    (durations instanceof Uint32Array ? FLAG.wideDurations : 0) | (triggers.length > 0 ? FLAG.triggers : 0);
  head.set([summary.rows, flags, columns.labelSlots]);
  head.set(summary.range, AT.range);
  new Float64Array(head.buffer, AT.doubles * 4, 5)
    .set([summary.minStart, summary.maxStart, summary.minDuration, summary.maxDuration, columns.startBase]);
  head.set(summary.flows, AT.flows);
  head.set(summary.triggers, AT.triggers);
  new Uint16Array(head.buffer, AT.counts * 4, COUNT_SLOTS).set(summary.counts);
  // Wide columns first, so that each column is aligned.
  const wide = [durations, flows].filter((column) => column instanceof Uint32Array);
  const narrow = [durations, flows].filter((column) => !(column instanceof Uint32Array));
  return {
    hot: joined([head, starts, ...wide, ...narrow, facts]),
    cold: joined([ids, labels, triggers, triggerChecks]),
  };
}

/** The summary in the first {@link SUMMARY_BYTES}, in place; they must begin at a multiple of 8. */
export function readSummary({ buffer, byteOffset }: Uint8Array): BlockSummary {
  const words = new Uint32Array(buffer, byteOffset, SUMMARY_WORDS);
  const doubles = new Float64Array(buffer, byteOffset + AT.doubles * 4, 5);
  const flags = words[AT.flags] as number;
  return {
    firstId: unpackId(words, AT.range),
    rows: words[AT.rows] as number,
    range: words.subarray(AT.range, AT.range + 2 * ID_WORDS),
    minStart: doubles[0] as number,
    maxStart: doubles[1] as number,
    minDuration: doubles[2] as number,
    maxDuration: doubles[3] as number,
    hasOpen: (flags & FLAG.open) !== 0,
    hasMoreLabels: (flags & FLAG.moreLabels) !== 0,
    counts: new Uint16Array(buffer, byteOffset + AT.counts * 4, COUNT_SLOTS),
    flows: words.subarray(AT.flows, AT.flows + (FLOW_BITS >> 5)),
    triggers: words.subarray(AT.triggers, AT.triggers + (TRIGGER_BITS >> 5)),
  };
}

/** The block with the hot part `bytes`, which are used in place and begin at a multiple of 8; `read` reads its cold part. */
export function columnsOf(summary: BlockSummary, bytes: Uint8Array, read: ReadBytes): RowColumns {
  const { buffer, byteOffset } = bytes;
  const words = new Uint32Array(buffer, byteOffset, SUMMARY_WORDS);
  const flags = words[AT.flags] as number;
  const has = (flag: number) => (flags & flag) !== 0;
  const reader = new ColumnReader(buffer, byteOffset + SUMMARY_BYTES, words[AT.rows] as number);
  const starts = has(FLAG.doubleStarts) ? reader.doubles() : reader.words();
  const wideDurations = has(FLAG.wideDurations) ? reader.words() : undefined;
  const wideFlows = has(FLAG.wideFlows) ? reader.words() : undefined;
  const columns = {
    starts,
    startBase: new Float64Array(buffer, byteOffset + AT.doubles * 4, 5)[4] as number,
    durations: wideDurations ?? reader.halves(),
    flows: wideFlows ?? reader.halves(),
    facts: reader.halves(),
    labelSlots: words[AT.labelSlots] as number,
  };
  const cold = new FileColumns({ columns, hasTriggers: has(FLAG.triggers) }, read);
  return new RowColumns(columns, cold, { range: summary.range, identity: summary });
}

/** How long bytes stay as they are. */
type Validity = "kept" | "untilNextBlock";

/** Reads bytes of the cold part of a block. */
type ReadBytes = (from: number, length: number, validity: Validity) => Uint8Array;

/** The cold columns of a block, read at each access. */
class FileColumns implements ColdColumns {
  readonly #block: HotBlock;
  readonly #read: ReadBytes;

  constructor(block: HotBlock, read: ReadBytes) {
    this.#block = block;
    this.#read = read;
  }

  /** @inheritdoc */
  get ids(): Uint32Array {
    return this.#words(0, ID_WORDS, "kept");
  }

  /** @inheritdoc */
  get idsOnce(): Uint32Array {
    return this.#words(0, ID_WORDS);
  }

  /** @inheritdoc */
  get labels(): Uint32Array {
    return this.#words(ID_WORDS, this.#block.columns.labelSlots);
  }

  /** @inheritdoc */
  get triggers(): Uint32Array {
    return this.#words(ID_WORDS + this.#block.columns.labelSlots, this.#block.hasTriggers ? 1 : 0);
  }

  /** @inheritdoc */
  get triggerChecks(): Uint8Array {
    const { columns: { labelSlots, facts: { length: rows } }, hasTriggers } = this.#block;
    return this.#read((ID_WORDS + labelSlots + 1) * rows * 4, hasTriggers ? rows : 0, "untilNextBlock");
  }

  /** `width` words for each row, behind `before` words for each row. */
  #words(before: number, width: number, validity: Validity = "untilNextBlock"): Uint32Array {
    const rows = this.#block.columns.facts.length;
    const bytes = this.#read(before * rows * 4, width * rows * 4, validity);
    return new Uint32Array(bytes.buffer, bytes.byteOffset, width * rows);
  }
}

/** Reads columns one after the other. */
class ColumnReader {
  readonly #buffer: ArrayBufferLike;
  readonly #rows: number;
  #at: number;

  constructor(buffer: ArrayBufferLike, at: number, rows: number) {
    this.#buffer = buffer;
    this.#at = at;
    this.#rows = rows;
  }

  doubles(): Float64Array {
    return new Float64Array(this.#buffer, this.#skip(8), this.#rows);
  }

  words(): Uint32Array {
    return new Uint32Array(this.#buffer, this.#skip(4), this.#rows);
  }

  halves(): Uint16Array {
    return new Uint16Array(this.#buffer, this.#skip(2), this.#rows);
  }

  #skip(width: number): number {
    const at = this.#at;
    this.#at += width * this.#rows;
    return at;
  }
}

/** The columns one after the other, filled up to a multiple of 8 bytes. */
function joined(columns: readonly ArrayBufferView[]): Uint8Array {
  const length = columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bytes = new Uint8Array(length + 7 & ~7);
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}
