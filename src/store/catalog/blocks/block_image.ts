/**
 * The form of a sealed block in the column file: its summary and hot columns, then its cold columns. All numbers are
 * little-endian; each part begins at a multiple of 8 bytes, so that columns are read in place.
 */
import { unpackId } from "../rows/row.ts";
import { type ColdColumns, ID_WORDS, RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, COUNT_SLOTS, FLOW_BITS, TRIGGER_BITS } from "../rows/summary.ts";

/** Positions in the summary: words, doubles from word 12, bits and counters. */
const AT = { rows: 0, flags: 1, labelSlots: 2, range: 4, doubles: 12, flows: 22, triggers: 30, counts: 62 };
const SUMMARY_WORDS = 126;
/** Bytes of the summary, with which the hot part begins. */
export const SUMMARY_BYTES = SUMMARY_WORDS * 4;
const FLAG = {
  open: 1,
  moreLabels: 2,
  doubleStarts: 4,
  wideFlows: 8,
  wideDurations: 16,
  triggers: 32,
  narrowFlows: 64,
};

/** A block as two byte strings. */
interface BlockImage {
  readonly hot: Uint8Array;
  readonly cold: Uint8Array;
}

/** What the summary says about the columns. */
export interface ColumnForm {
  readonly rows: number;
  readonly flags: number;
  readonly labelSlots: number;
  readonly startBase: number;
}

/** The image of a block. */
export function imageOf(summary: BlockSummary, columns: RowColumns): BlockImage {
  const { flows, facts, starts, durations, ids, labels, triggers, triggerChecks } = columns;
  const head = new Uint32Array(SUMMARY_WORDS);
  const flags = (summary.hasOpen ? FLAG.open : 0) | (summary.hasMoreLabels ? FLAG.moreLabels : 0) |
    (starts instanceof Float64Array ? FLAG.doubleStarts : 0) |
    (flows instanceof Uint32Array ? FLAG.wideFlows : 0) |
    (flows instanceof Uint8Array ? FLAG.narrowFlows : 0) |
    (durations instanceof Uint32Array ? FLAG.wideDurations : 0) | (triggers.length > 0 ? FLAG.triggers : 0);
  head.set([summary.rows, flags, columns.labelSlots]);
  head.set(summary.range, AT.range);
  new Float64Array(head.buffer, AT.doubles * 4, 5)
    .set([summary.minStart, summary.maxStart, summary.minDuration, summary.maxDuration, columns.startBase]);
  head.set(summary.flows, AT.flows);
  head.set(summary.triggers, AT.triggers);
  new Uint16Array(head.buffer, AT.counts * 4, COUNT_SLOTS).set(summary.counts);
  // Wide columns first, so that each column is aligned.
  const hot = [durations, flows, facts].sort((a, b) => b.BYTES_PER_ELEMENT - a.BYTES_PER_ELEMENT);
  return {
    hot: joined([head, ...hot]),
    cold: joined([starts, ids, labels, triggers, triggerChecks]),
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

/** The form of the columns behind a summary, which begins at a multiple of 8. */
export function readForm({ buffer, byteOffset }: Uint8Array): ColumnForm {
  const [rows, flags, labelSlots] = new Uint32Array(buffer, byteOffset, AT.range) as unknown as FormWords;
  const startBase = new Float64Array(buffer, byteOffset + AT.doubles * 4, 5)[4] as number;
  return { rows, flags, labelSlots, startBase };
}

type FormWords = [rows: number, flags: number, labelSlots: number];

/**
 * The block whose hot part has `bytes` behind the summary; they are used in place and begin at a multiple of 8. `read` reads
 * its cold part.
 */
export function columnsOf(
  summary: BlockSummary,
  form: ColumnForm,
  { bytes, read }: { readonly bytes: Uint8Array; readonly read: ReadBytes },
): RowColumns {
  const has = (flag: number) => (form.flags & flag) !== 0;
  const reader = new ColumnReader(bytes.buffer, bytes.byteOffset, form.rows);
  const wideDurations = has(FLAG.wideDurations) ? reader.words() : undefined;
  const wideFlows = has(FLAG.wideFlows) ? reader.words() : undefined;
  const durations = wideDurations ?? reader.halves();
  const flows = wideFlows ?? (has(FLAG.narrowFlows) ? undefined : reader.halves());
  const facts = reader.halves();
  const hot = { durations, flows: flows ?? reader.bytes(), facts, ...form };
  return new RowColumns(hot, new FileColumns(form, read), { range: summary.range, identity: summary });
}

/** How long bytes stay as they are. */
type Validity = "kept" | "untilNextBlock";

/** Reads bytes of the cold part of a block. */
type ReadBytes = (from: number, length: number, validity: Validity) => Uint8Array;

/** The cold columns of a block, read at each access. */
class FileColumns implements ColdColumns {
  readonly #form: ColumnForm;
  readonly #read: ReadBytes;

  constructor(form: ColumnForm, read: ReadBytes) {
    this.#form = form;
    this.#read = read;
  }

  /** @inheritdoc */
  get starts(): Uint32Array | Float64Array {
    const { rows } = this.#form;
    const { buffer, byteOffset } = this.#read(0, rows * this.#startBytes, "untilNextBlock");
    return this.#startBytes === 8
      ? new Float64Array(buffer, byteOffset, rows)
      : new Uint32Array(buffer, byteOffset, rows);
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
  readId(row: number): Uint32Array {
    const { rows } = this.#form;
    const { buffer, byteOffset } = this.#read(
      this.#startBytes * rows + row * ID_WORDS * 4,
      ID_WORDS * 4,
      "untilNextBlock",
    );
    return new Uint32Array(buffer, byteOffset, ID_WORDS);
  }

  /** @inheritdoc */
  readStart(row: number): number {
    const width = this.#startBytes;
    const { buffer, byteOffset } = this.#read(row * width, width, "untilNextBlock");
    return (width === 8 ? new Float64Array(buffer, byteOffset, 1) : new Uint32Array(buffer, byteOffset, 1))[
      0
    ] as number;
  }

  /** @inheritdoc */
  get labels(): Uint32Array {
    return this.#words(ID_WORDS, this.#form.labelSlots);
  }

  /** @inheritdoc */
  get triggers(): Uint32Array {
    return this.#words(ID_WORDS + this.#form.labelSlots, this.#hasTriggers ? 1 : 0);
  }

  /** @inheritdoc */
  get triggerChecks(): Uint8Array {
    const { rows, labelSlots } = this.#form;
    const from = (this.#startBytes + (ID_WORDS + labelSlots + 1) * 4) * rows;
    return this.#read(from, this.#hasTriggers ? rows : 0, "untilNextBlock");
  }

  get #startBytes(): number {
    return (this.#form.flags & FLAG.doubleStarts) !== 0 ? 8 : 4;
  }

  get #hasTriggers(): boolean {
    return (this.#form.flags & FLAG.triggers) !== 0;
  }

  /** `width` words for each row, behind the starts and `before` words for each row. */
  #words(before: number, width: number, validity: Validity = "untilNextBlock"): Uint32Array {
    const { rows } = this.#form;
    const bytes = this.#read((this.#startBytes + before * 4) * rows, width * rows * 4, validity);
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

  words(): Uint32Array {
    return new Uint32Array(this.#buffer, this.#skip(4), this.#rows);
  }

  halves(): Uint16Array {
    return new Uint16Array(this.#buffer, this.#skip(2), this.#rows);
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer, this.#skip(1), this.#rows);
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
