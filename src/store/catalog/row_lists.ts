/** Lists of row numbers that filters narrow, kept from query to query: filling one for each query took 40 µs. */

/** Lists for one selection at a time. */
export class RowLists {
  #identity = new Uint32Array(0);
  #rows = new Uint32Array(0);
  #groupRows = new Uint32Array(0);
  #marks = new Uint8Array(0);

  /** 0, 1, 2, …; not to be written. */
  get identity(): Uint32Array {
    return this.#identity;
  }

  /** The rows that pass. */
  get rows(): Uint32Array {
    return this.#rows;
  }

  /** The rows that pass one of several groups. */
  get groupRows(): Uint32Array {
    return this.#groupRows;
  }

  /** A byte for each row. */
  get marks(): Uint8Array {
    return this.#marks;
  }

  /** Makes room for that many rows. What was in the lists may be gone. */
  fit(count: number): void {
    if (this.#rows.length >= count) return;
    this.#identity = new Uint32Array(count);
    for (let row = 0; row < count; row++) this.#identity[row] = row;
    this.#rows = new Uint32Array(count);
    this.#groupRows = new Uint32Array(count);
    this.#marks = new Uint8Array(count);
  }
}
