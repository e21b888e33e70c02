/** Mutual exclusion by key. */

/** Runs functions of the same key one after the other, in the order of the calls; different keys run concurrently. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work of `key`, synchronously if no work of `key` is pending; returns its result. */
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

  /** Resolves once all work that runs or waits now, of keys that begin with `prefix`, has ended. */
  async settled(prefix: string): Promise<void> {
    await Promise.all([...this.#tails].filter(([key]) => key.startsWith(prefix)).map(([, tail]) => tail));
  }

  /** True while work of that key runs or waits. */
  isHeld(key: string): boolean {
    return this.#tails.has(key);
  }
}
