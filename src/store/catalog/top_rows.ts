/** Keeps the first rows of an order, or the newest row of each flow, without sorting all rows. */
import { compareIds } from "./row.ts";
import { ID_WORDS, type RowColumns } from "./row_columns.ts";
import type { RowOrder } from "./row_order.ts";

/** A row in a block. */
export interface RowRef {
  readonly block: RowColumns;
  readonly row: number;
}

interface Ranked extends RowRef {
  readonly number: number;
}

/** A binary heap of at most `capacity` rows with the last row of the order on top. */
export class TopRows {
  readonly #order: RowOrder;
  readonly #capacity: number;
  readonly #heap: Ranked[] = [];
  #numbers = new Float64Array(0);

  constructor(order: RowOrder, capacity: number) {
    this.#order = order;
    this.#capacity = capacity;
  }

  /** The last row so far; `undefined` until the capacity is reached. */
  get last(): RowRef | undefined {
    return this.#heap.length >= this.#capacity ? this.#heap[0] : undefined;
  }

  /** Offers rows of a block; ignores those in `hidden`. */
  offer(block: RowColumns, rows: Uint32Array, hidden: ReadonlySet<number> | undefined): void {
    if (this.#numbers.length < rows.length) this.#numbers = new Float64Array(rows.length);
    const numbers = this.#numbers;
    this.#order.read(block, rows, numbers);
    let limit = this.#limit;
    for (let i = 0; i < rows.length; i++) {
      const number = numbers[i] as number;
      if (number > limit) continue;
      const row = rows[i] as number;
      if (!hidden?.has(row)) this.#add({ block, row, number });
      limit = this.#limit;
    }
  }

  /** Removes and returns the rows in order. */
  take(): RowRef[] {
    return this.#heap.splice(0).sort((a, b) => this.#compare(a, b));
  }

  /** Rows with a larger number are not accepted any more. */
  get #limit(): number {
    return this.#heap.length < this.#capacity ? Infinity : this.#heap[0]?.number ?? -Infinity;
  }

  #add(ranked: Ranked): void {
    const heap = this.#heap;
    if (heap.length < this.#capacity) {
      heap.push(ranked);
      this.#rise(heap.length - 1);
    } else if (heap[0] && this.#compare(ranked, heap[0]) < 0) {
      heap[0] = ranked;
      this.#sink();
    }
  }

  #compare(a: Ranked, b: Ranked): number {
    if (a.number !== b.number) return a.number < b.number ? -1 : 1;
    return this.#order.compareRest(a.block, a.row, b.block, b.row);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(heap[at] as Ranked, heap[parent] as Ranked) <= 0) return;
      [heap[at], heap[parent]] = [heap[parent] as Ranked, heap[at] as Ranked];
      at = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const isRight = right < heap.length && this.#compare(heap[right] as Ranked, heap[left] as Ranked) > 0;
      const child = isRight ? right : left;
      if (this.#compare(heap[child] as Ranked, heap[at] as Ranked) <= 0) return;
      [heap[at], heap[child]] = [heap[child] as Ranked, heap[at] as Ranked];
      at = child;
    }
  }
}

/** Keeps the row with the greatest id of each flow number. */
export class NewestRows {
  readonly #blocks: RowColumns[] = [];
  readonly #rows: number[] = [];

  /** Takes rows of a block into account. */
  add(block: RowColumns, rows: Uint32Array): void {
    const { flows, ids } = block;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      const flowNo = flows[row] as number;
      const known = this.#blocks[flowNo];
      // Within a block, rows are in the order of their ids.
      const isNewer = known === undefined || known === block ||
        compareIds(ids, row * ID_WORDS, known.ids, (this.#rows[flowNo] as number) * ID_WORDS) > 0;
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
