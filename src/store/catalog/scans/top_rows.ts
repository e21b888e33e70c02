/** Keeps the first rows of an order, or the newest row of each flow, without sorting all rows. */
import { compareRows, type RowColumns } from "../rows/row_columns.ts";
import type { RowOrder } from "./row_order.ts";

/** A row in a block. */
export interface RowRef {
  readonly block: RowColumns;
  readonly row: number;
}

/** Room for more rows than the capacity; so many are added before the excess is dropped. */
const MIN_EXCESS = 512;

/**
 * Collects rows and keeps the first `capacity` of an order. Whenever twice as many are collected, numbers are sorted natively
 * and the excess is dropped: for page 1,000 of 10 million rows a quarter of the time of a heap.
 */
export class TopRows {
  readonly #order: RowOrder;
  readonly #capacity: number;
  readonly #room: number;
  readonly #blocks: RowColumns[] = [];
  readonly #rows: number[] = [];
  readonly #numbers: number[] = [];
  /** A copy of the numbers for sorting. */
  #sorted = new Float64Array(0);
  #limit: number;
  #last: RowRef | undefined;
  #read = new Float64Array(0);
  #narrowed = new Uint32Array(0);

  /** Rows with a number above `limit` are not collected. */
  constructor(order: RowOrder, capacity: number, limit: number) {
    this.#order = order;
    this.#capacity = capacity;
    this.#limit = limit;
    this.#room = capacity + Math.max(MIN_EXCESS, capacity);
  }

  /** Rows with a larger number are not collected any more. */
  get limit(): number {
    return this.#limit;
  }

  /** Rows collected so far. */
  get count(): number {
    return this.#rows.length;
  }

  /** A row that at least `capacity` rows do not come after; `undefined` until there are so many. */
  get last(): RowRef | undefined {
    if (!this.#last && this.#capacity > 0 && this.#rows.length >= this.#capacity) this.#shrink();
    return this.#last;
  }

  /** Offers rows of a block; ignores those in `hidden`. */
  offer(block: RowColumns, all: Uint32Array, hidden: ReadonlySet<number> | undefined): void {
    if (this.#capacity === 0) return;
    if (this.#read.length < all.length) {
      this.#read = new Float64Array(all.length);
      this.#narrowed = new Uint32Array(all.length);
    }
    const rows = this.#order.narrow(block, all, this.#limit, this.#narrowed);
    const numbers = this.#read;
    this.#order.read(block, rows, numbers);
    let limit = this.#limit;
    for (let i = 0; i < rows.length; i++) {
      const number = numbers[i] as number;
      if (number > limit) continue;
      const row = rows[i] as number;
      if (hidden?.has(row) || (number === limit && this.#isAfterLast(block, row))) continue;
      this.#blocks.push(block);
      this.#rows.push(row);
      this.#numbers.push(number);
      if (this.#rows.length < this.#room) continue;
      this.#shrink();
      limit = this.#limit;
    }
  }

  /** The rows in order from place `offset` on. Called once, at the end. */
  take(offset: number): RowRef[] {
    if (this.#rows.length >= this.#capacity && this.#capacity > 0) this.#shrink();
    if (offset >= this.#rows.length) return [];
    const first = this.#sort()[offset] as number;
    const before = this.#numbers.reduce((count, number) => number < first ? count + 1 : count, 0);
    const places = this.#places((number) => number >= first).sort((a, b) => this.#compare(a, b));
    return places.slice(offset - before).map((place) => this.#refOf(place));
  }

  #isAfterLast(block: RowColumns, row: number): boolean {
    const last = this.#last;
    return last !== undefined && this.#order.compareRest(block, row, last.block, last.row) > 0;
  }

  /** Keeps the first `capacity` rows; there are at least so many. */
  #shrink(): void {
    const limit = this.#sort()[this.#capacity - 1] as number;
    const kept = this.#places((number) => number < limit);
    const equal = this.#places((number) => number === limit).sort((a, b) => this.#compare(a, b));
    equal.length = this.#capacity - kept.length;
    this.#limit = limit;
    this.#last = this.#refOf(equal.at(-1) as number);
    this.#keep([...kept, ...equal].sort((a, b) => a - b));
  }

  /** The numbers in order, valid until the next call. */
  #sort(): Float64Array {
    const { length } = this.#numbers;
    if (this.#sorted.length < length) this.#sorted = new Float64Array(length);
    const sorted = this.#sorted.subarray(0, length);
    sorted.set(this.#numbers);
    return sorted.sort();
  }

  #places(test: (number: number) => boolean): number[] {
    const places: number[] = [];
    this.#numbers.forEach((number, place) => {
      if (test(number)) places.push(place);
    });
    return places;
  }

  /** Moves the rows at these ascending places to the front and drops the others. */
  #keep(places: readonly number[]): void {
    places.forEach((from, to) => {
      this.#blocks[to] = this.#blocks[from] as RowColumns;
      this.#rows[to] = this.#rows[from] as number;
      this.#numbers[to] = this.#numbers[from] as number;
    });
    this.#blocks.length = this.#rows.length = this.#numbers.length = places.length;
  }

  #refOf(place: number): RowRef {
    return { block: this.#blocks[place] as RowColumns, row: this.#rows[place] as number };
  }

  #compare(a: number, b: number): number {
    const [x, y] = [this.#numbers[a] as number, this.#numbers[b] as number];
    if (x !== y) return x < y ? -1 : 1;
    const [left, right] = [this.#refOf(a), this.#refOf(b)];
    return this.#order.compareRest(left.block, left.row, right.block, right.row);
  }
}

/** Keeps the row with the greatest id of each flow number. */
export class NewestRows {
  readonly #blocks: RowColumns[] = [];
  readonly #rows: number[] = [];

  /** Takes rows of a block into account. */
  add(block: RowColumns, rows: Uint32Array): void {
    const { flows } = block;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      const flowNo = flows[row] as number;
      const known = this.#blocks[flowNo];
      // Within a block, rows are in the order of their ids.
      const isNewer = known === undefined || known === block ||
        compareRows(block, row, known, this.#rows[flowNo] as number) > 0;
      if (!isNewer) continue;
      this.#blocks[flowNo] = block;
      this.#rows[flowNo] = row;
    }
  }

  /** By flow number. */
  all(): Map<number, RowRef> {
    const found = new Map<number, RowRef>();
    this.#blocks.forEach((block, flowNo) => found.set(flowNo, { block, row: this.#rows[flowNo] as number }));
    return found;
  }
}
