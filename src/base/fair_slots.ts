/** Limits what goes on at a time, such as processes; waiting owners are served round-robin. */

/** Releases a slot; further calls do nothing. */
type ReleaseSlot = () => void;

/** Slots, shared fairly by owners. */
export class FairSlots {
  readonly #limit: number;
  #taken = 0;
  /** Waiters by owner; the first owner is served next. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Waits for a slot; `undefined` when the signal is aborted first. */
  async acquire(owner: string, signal: AbortSignal): Promise<ReleaseSlot | undefined> {
    if (signal.aborted) return undefined;
    if (this.#taken < this.#limit) this.#taken++;
    else if (!await this.#wait(owner, signal)) return undefined;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  /** As {@link acquire}, for what `begin` begins and what releases the slot later; an error of `begin` releases it. */
  async begin<T>(
    owner: string,
    signal: AbortSignal,
    begin: (release: ReleaseSlot) => T,
  ): Promise<T | undefined> {
    const release = await this.acquire(owner, signal);
    if (!release) return undefined;
    try {
      return begin(release);
    } catch (error) {
      release();
      throw error;
    }
  }

  #wait(owner: string, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const queue = this.#waiting.get(owner) ?? [];
    this.#waiting.set(owner, queue);
    const serve = () => {
      signal.removeEventListener("abort", giveUp);
      resolve(true);
    };
    const giveUp = () => {
      const rest = queue.filter((each) => each !== serve);
      queue.splice(0, queue.length, ...rest);
      if (queue.length === 0 && this.#waiting.get(owner) === queue) this.#waiting.delete(owner);
      resolve(false);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    queue.push(serve);
    return promise;
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) return void this.#taken--;
    const [owner, queue] = next;
    const serve = queue.shift();
    this.#waiting.delete(owner);
    if (queue.length > 0) this.#waiting.set(owner, queue);
    serve?.();
  }
}
