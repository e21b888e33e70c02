/** Connections without a request under way, those that have been idle longest first. */

/** An entry; it is in at most one list. */
export interface IdleEntry<Entry extends IdleEntry<Entry>> {
  previous?: Entry;
  next?: Entry;
  /** The list that it is in. */
  list?: IdleList<Entry>;
}

/** Linked through its entries: a request takes its connection out and puts it back without an allocation. */
export class IdleList<Entry extends IdleEntry<Entry>> {
  #first: Entry | undefined;
  #last: Entry | undefined;

  /** The entry that was added first. */
  get first(): Entry | undefined {
    return this.#first;
  }

  /** Adds an entry, which must be in no list. */
  add(entry: Entry): void {
    entry.list = this;
    entry.previous = this.#last;
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
  }

  /** Removes an entry of this list. */
  remove(entry: Entry): void {
    const { previous, next } = entry;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    entry.previous = entry.next = entry.list = undefined;
  }
}
