/** The rows of a block for scans: one column for each fact, as narrow as its values allow. */
import {
  compareIds,
  FLAG,
  LABEL_WORDS,
  MAX_LABELS,
  OPEN_DURATION,
  ROW_DOUBLES,
  ROW_WORDS,
  shortHashAt,
  START_DOUBLE,
  unpackId,
  WORD,
} from "./row.ts";

/** Words of an id in {@link RowColumns.ids}. */
export const ID_WORDS = 4;
/** Bits of a facts word with state, kind and child flag. */
export const FACT_BITS = 0x07ff;
/** The most severe log level is stored above the other facts; all bits set: no level. */
export const LEVEL_SHIFT = 13;
/** Bits of the row's facts word below the level. In the row the level is at bit 16. */
const FACTS_MASK = 0x1fff;
/** Bytes of a block beside its columns: seven small objects and their buffers. */
const OVERHEAD_BYTES = 1_600;
const BYTE_MAX = 0xff;
const NARROW_MAX = 0xffff;
const MAX_SPREAD_MS = 0xffff_ffff;
const NO_TRIGGERS = new Uint32Array(0);
const NO_CHECKS = new Uint8Array(0);

/** A column of numbers that often fit into 16 bits. */
type NarrowColumn = Uint16Array | Uint32Array;
/** A column of numbers that often fit into 8 bits. */
type FlowColumn = Uint8Array | NarrowColumn;

/** The columns that most scans read. */
type HotColumns = Pick<RowColumns, "flows" | "facts" | "startBase" | "durations" | "labelSlots">;
/** The columns that few scans read; a sealed block may read them from a file at each access. */
export type ColdColumns =
  & Pick<RowColumns, "starts" | "ids" | "idsOnce" | "labels" | "triggers" | "triggerChecks">
  & {
    /** The words of one id, valid until the next block is read. Absent: {@link ids} costs no more. */
    readId?(row: number): Uint32Array;
    /** One of {@link starts}. Absent: {@link starts} costs no more. */
    readStart?(row: number): number;
  };

/**
 * An immutable sequence of rows in id order. A row takes 28 bytes and 4 for each label; a stored row takes 56. So two
 * million executions fit into the block cache, and scanning one column is six times faster than scanning rows. With its
 * cold columns in a file a row takes 8 bytes, or 7 if its flow has a number below 256.
 */
export class RowColumns {
  readonly count: number;
  /** The same object each time the block is read; key of cached verdicts. */
  readonly identity: object;
  readonly flows: FlowColumn;
  /** State, kind, flags and log level. */
  readonly facts: Uint16Array;
  readonly startBase: number;
  /** Duration words of the rows. */
  readonly durations: NarrowColumn;
  readonly labelSlots: number;
  /** Words of the first id, then of the last one. */
  readonly range: Uint32Array;
  readonly #cold: ColdColumns;
  #hasPlainDurations: boolean | undefined;

  /** `range` and `identity` are derived from the ids and the object itself if they are absent. */
  constructor(
    hot: HotColumns,
    cold: ColdColumns,
    of: { readonly range?: Uint32Array; readonly identity?: object } = {},
  ) {
    this.identity = of.identity ?? this;
    this.count = hot.facts.length;
    this.flows = hot.flows;
    this.facts = hot.facts;
    this.startBase = hot.startBase;
    this.durations = hot.durations;
    this.labelSlots = hot.labelSlots;
    this.#cold = cold;
    this.range = of.range ?? rangeOf(cold.ids);
  }

  /** True if all rows have ended, and {@link durations} has their milliseconds. */
  get hasPlainDurations(): boolean {
    // 16 bits hold neither the mark of an open row nor the seconds of one that is long.
    return this.#hasPlainDurations ??= this.durations instanceof Uint16Array ||
      this.durations.every((duration, row) =>
        duration !== OPEN_DURATION && ((this.facts[row] as number) & FLAG.longDuration) === 0
      );
  }

  /** Start dates minus `startBase`, valid until another block is read. A cache would not hold those of a scan. */
  get starts(): Uint32Array | Float64Array {
    return this.#cold.starts;
  }

  /** {@link ID_WORDS} words for each row. */
  get ids(): Uint32Array {
    return this.#cold.ids;
  }

  /** As {@link ids}, but valid only until the next block is read. */
  get idsOnce(): Uint32Array {
    return this.#cold.idsOnce;
  }

  /**
   * Valid until the next block is read. `labelSlots` words for each row: the largest number that a row of the block uses. A row whose fifth word is not 0 has
   * {@link shortHash} instead of full hashes.
   */
  get labels(): Uint32Array {
    return this.#cold.labels;
  }

  /** First hash of the trigger execution; empty when no row is a child. Valid until the next block is read. */
  get triggers(): Uint32Array {
    return this.#cold.triggers;
  }

  /** Second hash of the trigger execution; empty when no row is a child. Valid until the next block is read. */
  get triggerChecks(): Uint8Array {
    return this.#cold.triggerChecks;
  }

  /** The columns of stored rows; copies everything from `words`. Without `identity` the object is its own identity. */
  static of(words: Uint32Array, identity?: object): RowColumns {
    const count = words.length / ROW_WORDS;
    const labelSlots = usedSlots(words, count);
    const { starts, startBase } = copyStarts(words, count);
    const hot = {
      flows: copyBytes(words, count, WORD.flow) ?? copyNarrow(words, count, WORD.flow),
      facts: copyFacts(words, count),
      startBase,
      durations: copyNarrow(words, count, WORD.duration),
      labelSlots,
    };
    const ids = copyIds(words, count);
    const cold = {
      ...{ starts, ids, idsOnce: ids },
      labels: copyLabels(words, count, labelSlots),
      ...copyTriggers(words, count),
    };
    return new RowColumns(hot, cold, { identity });
  }

  /** Rows of which only the flow numbers and facts are known. */
  static ofFacts(flows: FlowColumn, facts: Uint16Array): RowColumns {
    const none = new Uint32Array(0);
    return new RowColumns(
      { flows, facts, startBase: 0, durations: none, labelSlots: 0 },
      {
        starts: none,
        ids: none,
        idsOnce: none,
        labels: none,
        triggers: NO_TRIGGERS,
        triggerChecks: NO_CHECKS,
      },
      { range: new Uint32Array(2 * ID_WORDS) },
    );
  }

  /** A copy of the given rows, which must be in id order. */
  pick(rows: readonly number[]): RowColumns {
    const at = Uint32Array.from(rows);
    const triggered = this.triggers.length > 0 ? at : at.subarray(0, 0);
    const hot = {
      flows: pickWords(this.flows, at, 1),
      facts: Uint16Array.from(at, (row) => this.facts[row] as number),
      startBase: 0,
      durations: pickWords(this.durations, at, 1),
      labelSlots: this.labelSlots,
    };
    const { starts: from, startBase } = this;
    const starts = Float64Array.from(at, (row) => startBase + (from[row] as number));
    const ids = pickWords(this.ids, at, ID_WORDS);
    return new RowColumns(hot, {
      ...{ starts, ids, idsOnce: ids },
      labels: pickWords(this.labels, at, this.labelSlots),
      triggers: pickWords(this.triggers, triggered, 1),
      triggerChecks: Uint8Array.from(triggered, (row) => this.triggerChecks[row] as number),
    });
  }

  /** Bytes in memory. */
  get memoryBytes(): number {
    const { ids, flows, facts, starts, durations, labels, triggers, triggerChecks } = this;
    return [ids, flows, facts, starts, durations, labels, triggers, triggerChecks]
      .reduce((sum, column) => sum + column.byteLength, OVERHEAD_BYTES);
  }

  /** The id of a row. */
  idAt(row: number): string {
    const id = this.#cold.readId?.(row);
    return id ? unpackId(id, 0) : unpackId(this.ids, row * ID_WORDS);
  }

  /** The start date of a row. */
  startAt(row: number): number {
    return this.startBase + (this.#cold.readStart?.(row) ?? this.starts[row] as number);
  }

  /** Milliseconds from start to end; `undefined` while it has not ended. Beyond 49 days rounded to seconds. */
  durationAt(row: number): number | undefined {
    const duration = this.durations[row] as number;
    if (duration === OPEN_DURATION) return undefined;
    return ((this.facts[row] as number) & FLAG.longDuration) !== 0 ? duration * 1000 : duration;
  }

  /** The row with the id at `words[at]`, or -1. */
  find(words: Uint32Array, at: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareIds(this.ids, middle * ID_WORDS, words, at) < 0) low = middle + 1;
      else high = middle;
    }
    return low < this.count && compareIds(this.ids, low * ID_WORDS, words, at) === 0 ? low : -1;
  }
}

/** The order of the ids of two rows, as {@link compareIds}. Rows of blocks that do not overlap need no ids. */
export function compareRows(a: RowColumns, i: number, b: RowColumns, j: number): number {
  if (a === b) return i - j;
  if (compareIds(a.range, ID_WORDS, b.range, 0) < 0) return -1;
  if (compareIds(b.range, ID_WORDS, a.range, 0) < 0) return 1;
  return compareIds(a.ids, i * ID_WORDS, b.ids, j * ID_WORDS);
}

function rangeOf(ids: Uint32Array): Uint32Array {
  const range = new Uint32Array(2 * ID_WORDS);
  range.set(ids.subarray(0, ID_WORDS));
  range.set(ids.subarray(Math.max(0, ids.length - ID_WORDS)), ID_WORDS);
  return range;
}

function copyIds(words: Uint32Array, count: number): Uint32Array {
  const ids = new Uint32Array(count * ID_WORDS);
  for (let row = 0, at = 0; at < ids.length; row += ROW_WORDS, at += ID_WORDS) {
    ids[at] = words[row] as number;
    ids[at + 1] = words[row + 1] as number;
    ids[at + 2] = words[row + 2] as number;
    ids[at + 3] = words[row + 3] as number;
  }
  return ids;
}

/** `undefined` if a number does not fit. */
function copyBytes(words: Uint32Array, count: number, word: number): Uint8Array | undefined {
  const column = new Uint8Array(count);
  for (let row = 0, at = word; row < count; row++, at += ROW_WORDS) {
    const value = words[at] as number;
    if (value > BYTE_MAX) return undefined;
    column[row] = value;
  }
  return column;
}

function copyNarrow(words: Uint32Array, count: number, word: number): NarrowColumn {
  const column = new Uint16Array(count);
  for (let row = 0, at = word; row < count; row++, at += ROW_WORDS) {
    const value = words[at] as number;
    if (value > NARROW_MAX) return copyColumn(words, count, word);
    column[row] = value;
  }
  return column;
}

function copyColumn(words: Uint32Array, count: number, word: number): Uint32Array {
  const column = new Uint32Array(count);
  for (let row = 0, at = word; row < count; row++, at += ROW_WORDS) column[row] = words[at] as number;
  return column;
}

function copyFacts(words: Uint32Array, count: number): Uint16Array {
  const facts = new Uint16Array(count);
  for (let row = 0, at = WORD.facts; row < count; row++, at += ROW_WORDS) {
    const word = words[at] as number;
    facts[row] = word & FACTS_MASK | word >>> 16 - LEVEL_SHIFT & ~FACTS_MASK;
  }
  return facts;
}

function copyTriggers(words: Uint32Array, count: number): Pick<RowColumns, "triggers" | "triggerChecks"> {
  let flags = 0;
  for (let at: number = WORD.facts; at < words.length; at += ROW_WORDS) flags |= words[at] as number;
  if ((flags & FLAG.child) === 0) return { triggers: NO_TRIGGERS, triggerChecks: NO_CHECKS };
  const triggerChecks = new Uint8Array(count);
  for (let row = 0, at = WORD.facts; row < count; row++, at += ROW_WORDS) {
    triggerChecks[row] = (words[at] as number) >>> 24;
  }
  return { triggers: copyColumn(words, count, WORD.trigger), triggerChecks };
}

/** Starts as offsets if they lie within 49 days, which is usual; else as dates. */
function copyStarts(
  words: Uint32Array,
  count: number,
): { readonly starts: Uint32Array | Float64Array; readonly startBase: number } {
  const doubles = new Float64Array(words.buffer, words.byteOffset, words.length >> 1);
  let [least, most] = [Infinity, -Infinity];
  let isWhole = true;
  for (let at = START_DOUBLE; at < doubles.length; at += ROW_DOUBLES) {
    const date = doubles[at] as number;
    if (date < least) least = date;
    if (date > most) most = date;
    if (date !== Math.floor(date)) isWhole = false;
  }
  const fits = isWhole && most - least <= MAX_SPREAD_MS;
  const starts = fits ? new Uint32Array(count) : new Float64Array(count);
  const startBase = fits ? least : 0;
  for (let row = 0, at = START_DOUBLE; row < count; row++, at += ROW_DOUBLES) {
    starts[row] = (doubles[at] as number) - startBase;
  }
  return { starts, startBase };
}

function usedSlots(words: Uint32Array, count: number): number {
  let slots = 0;
  for (let row = 0; row < count && slots < MAX_LABELS; row++) {
    if (hasShortHashes(words, row)) return MAX_LABELS;
    const at = row * ROW_WORDS + WORD.labels;
    for (let slot = slots; slot < LABEL_WORDS; slot++) if (words[at + slot] !== 0) slots = slot + 1;
  }
  return slots;
}

function hasShortHashes(words: Uint32Array, row: number): boolean {
  return ((words[row * ROW_WORDS + WORD.facts] as number) & FLAG.shortHashes) !== 0;
}

function copyLabels(words: Uint32Array, count: number, slots: number): Uint32Array {
  const labels = new Uint32Array(count * slots);
  for (let row = 0; row < count; row++) {
    const [from, to] = [row * ROW_WORDS + WORD.labels, row * slots];
    if (slots === MAX_LABELS && hasShortHashes(words, row)) {
      for (let slot = 0; slot < MAX_LABELS; slot++) labels[to + slot] = shortHashAt(words, from, slot);
    } else {
      for (let slot = 0; slot < slots && slot < LABEL_WORDS; slot++) {
        labels[to + slot] = words[from + slot] as number;
      }
    }
  }
  return labels;
}

function pickWords(from: FlowColumn, rows: Uint32Array, width: number): Uint32Array {
  const picked = new Uint32Array(rows.length * width);
  rows.forEach((row, index) => picked.set(from.subarray(row * width, (row + 1) * width), index * width));
  return picked;
}
