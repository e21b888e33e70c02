/** Rows in id order without duplicate ids, read in place. */
import { compareIds, ROW_BYTES, ROW_WORDS, unpackId, WORD } from "./row.ts";
import { RowColumns } from "./row_columns.ts";

/** An immutable sequence of rows in their stored form. */
export class RowBlock {
  readonly words: Uint32Array;
  /** The same memory as doubles; the start of row `r` is at `r * 7 + 3`. */
  readonly doubles: Float64Array;
  readonly count: number;
  readonly #identity: object | undefined;
  #columns: RowColumns | undefined;

  constructor(words: Uint32Array, identity?: object) {
    this.words = words;
    this.doubles = new Float64Array(words.buffer, words.byteOffset, words.length >> 1);
    this.count = words.length / ROW_WORDS;
    this.#identity = identity;
  }

  /** The rows of a stored value. */
  static fromBytes(bytes: Uint8Array, identity?: object): RowBlock {
    return new RowBlock(wordsOf(bytes), identity);
  }

  /** The stored bytes. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.words.buffer, this.words.byteOffset, this.words.byteLength);
  }

  /** The same rows in the form for scans. */
  get columns(): RowColumns {
    this.#columns ??= RowColumns.of(this.words, this.#identity);
    return this.#columns;
  }

  /** The id of a row. */
  idAt(row: number): string {
    return unpackId(this.words, row * ROW_WORDS);
  }

  /** State byte of a row. */
  stateAt(row: number): number {
    return (this.words[row * ROW_WORDS + WORD.facts] as number) & 0xff;
  }

  /** The first row whose id is not before the one at `words[at]`; `count` if it does not exist. */
  lowerBound(words: Uint32Array, at: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareIds(this.words, middle * ROW_WORDS, words, at) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The row with the id at `words[at]`, or -1. */
  find(words: Uint32Array, at: number): number {
    const row = this.lowerBound(words, at);
    return row < this.count && compareIds(this.words, row * ROW_WORDS, words, at) === 0 ? row : -1;
  }

  /** The words of some rows, copied. */
  slice(from: number, to: number): Uint32Array<ArrayBuffer> {
    return this.words.slice(from * ROW_WORDS, to * ROW_WORDS) as Uint32Array<ArrayBuffer>;
  }
}

/** Row bytes as words; copied if they are not aligned for doubles. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  if (bytes.length % ROW_BYTES !== 0) throw new Error(`Cannot read catalog rows: ${bytes.length} bytes`);
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
}

/** The rows of several sources in id order; of rows with the same id the last one in `sources` wins. */
export function mergeRows(sources: readonly Uint32Array[]): RowBlock {
  const all = joinWords(sources);
  const count = all.length / ROW_WORDS;
  if (isRising(all, count)) return new RowBlock(all);
  const order = new Uint32Array(count);
  for (let row = 0; row < count; row++) order[row] = row;
  order.sort((a, b) => compareIds(all, a * ROW_WORDS, all, b * ROW_WORDS) || a - b);
  const merged = new Uint32Array(all.length);
  let length = 0;
  for (let i = 0; i < count; i++) {
    const from = (order[i] as number) * ROW_WORDS;
    const isSuperseded = i + 1 < count &&
      compareIds(all, from, all, (order[i + 1] as number) * ROW_WORDS) === 0;
    if (isSuperseded) continue;
    merged.set(all.subarray(from, from + ROW_WORDS), length);
    length += ROW_WORDS;
  }
  return new RowBlock(length === merged.length ? merged : merged.slice(0, length));
}

/** The block without rows of a state; the same object when it has no such row. */
export function withoutState(block: RowBlock, state: number): RowBlock {
  const kept: Uint32Array[] = [];
  let from = 0;
  for (let row = 0; row <= block.count; row++) {
    if (row < block.count && block.stateAt(row) !== state) continue;
    kept.push(block.words.subarray(from * ROW_WORDS, row * ROW_WORDS));
    from = row + 1;
  }
  return kept.length === 1 ? block : new RowBlock(joinWords(kept));
}

/** Concatenates rows. */
export function joinWords(sources: readonly Uint32Array[]): Uint32Array {
  let length = 0;
  for (const source of sources) length += source.length;
  const all = new Uint32Array(length);
  let at = 0;
  for (const source of sources) {
    all.set(source, at);
    at += source.length;
  }
  return all;
}

function isRising(words: Uint32Array, count: number): boolean {
  for (let row = 1; row < count; row++) {
    if (compareIds(words, (row - 1) * ROW_WORDS, words, row * ROW_WORDS) >= 0) return false;
  }
  return true;
}
