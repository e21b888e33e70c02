/** Counts calls, so that there are not more of them than somebody allows. Knows neither clock nor reasons. */

/** How many calls, within how long. */
export interface CallLimit {
  readonly calls: number;
  readonly periodMs: number;
}

interface CallWindow {
  count: number;
  readonly startedMs: number;
}

/** Calls by any name, each within windows that begin with their first call. Bounded: the window that began first goes first. */
export class CallWindows {
  readonly #maxWindows: number;
  /** In the order in which they began. */
  readonly #windows = new Map<string, CallWindow>();

  constructor(maxWindows: number) {
    this.#maxWindows = maxWindows;
  }

  /** Counts a call; for one beyond the limit, which is not counted, the milliseconds until the next one may come. */
  take(name: string, { calls, periodMs }: CallLimit, nowMs: number): number | undefined {
    const found = this.#windows.get(name);
    const endsMs = found ? found.startedMs + periodMs : nowMs;
    if (found && nowMs < endsMs) {
      if (found.count >= calls) return endsMs - nowMs;
      found.count++;
      return undefined;
    }
    this.#windows.delete(name);
    this.#windows.set(name, { count: 1, startedMs: nowMs });
    this.#makeRoom();
    return undefined;
  }

  #makeRoom(): void {
    if (this.#windows.size <= this.#maxWindows) return;
    const first = this.#windows.keys().next();
    if (!first.done) this.#windows.delete(first.value);
  }
}
