/** Mutual exclusion by key: what must be read, decided and written without another in between. */

/** Runs functions of the same key one after the other, in the order of the calls; different keys run freely. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` when every earlier work of `key` has ended, in the same turn where there is none; gives its outcome. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key);
    const current = previous ? previous.then(work) : work();
    const over = () => {
      if (this.#tails.get(key) === settled) this.#tails.delete(key);
    };
    const settled = current.then(over, over);
    this.#tails.set(key, settled);
    return current;
  }

  /** True when a work of that key is running or waiting. */
  isHeld(key: string): boolean {
    return this.#tails.has(key);
  }
}
