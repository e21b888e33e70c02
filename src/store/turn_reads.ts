/** Reads of one turn of the event loop, which a store does together: each read alone costs more than its keys. */

interface WaitingRead<Wanted, Found> {
  readonly wanted: readonly Wanted[];
  readonly resolve: (found: Found[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Collects what is wanted until the end of the turn, or until it is as much as one read takes. */
export class TurnReads<Wanted, Found> {
  readonly #max: number;
  readonly #read: (wanted: readonly Wanted[]) => Promise<readonly Found[]>;
  #waiting: WaitingRead<Wanted, Found>[] = [];
  #count = 0;

  /** `read` gives what was found, in the order of what is wanted; at most `max` at a time. */
  constructor(max: number, read: (wanted: readonly Wanted[]) => Promise<readonly Found[]>) {
    this.#max = max;
    this.#read = read;
  }

  /** What is found, in order. What one caller wants is in one read: at most `max`. @throws what the read throws */
  get(wanted: readonly Wanted[]): Promise<Found[]> {
    if (this.#count + wanted.length > this.#max) this.#flush();
    const { promise, resolve, reject } = Promise.withResolvers<Found[]>();
    if (this.#waiting.push({ wanted, resolve, reject }) === 1) queueMicrotask(() => this.#flush());
    this.#count += wanted.length;
    return promise;
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#count = 0;
    if (waiting.length === 0) return;
    const give = (found: readonly Found[]) => {
      let from = 0;
      for (const { wanted, resolve } of waiting) resolve(found.slice(from, from += wanted.length));
    };
    const refuse = (error: unknown) => {
      for (const { reject } of waiting) reject(error);
    };
    this.#read(waiting.flatMap(({ wanted }) => wanted)).then(give, refuse);
  }
}
