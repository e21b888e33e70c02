/** What reactions read: one copy for all that need the same at the same time, and few copies at once. */

interface Load<T> {
  users: number;
  readonly value: Promise<T>;
}

/** Loads values, which may be large, for their users. */
export class SharedLoads<T> {
  readonly #loads = new Map<string, Load<T>>();
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** `max` different values are held at the same time. */
  constructor(max: number) {
    this.#free = max;
  }

  /** Works with the value of that key, which must not be changed; `load` reads it unless it is in use. */
  async use<R>(key: string, load: () => Promise<T>, work: (value: T) => Promise<R>): Promise<R> {
    const known = this.#loads.get(key);
    const shared = known ?? { users: 0, value: this.#taken().then(load) };
    if (!known) this.#loads.set(key, shared);
    shared.users++;
    try {
      return await work(await shared.value);
    } finally {
      if (--shared.users === 0) {
        this.#loads.delete(key);
        this.#release();
      }
    }
  }

  async #taken(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
