/** A fixed-window counter that limits the rate of calls. */

/** Calls allowed in a window. */
export interface CallLimit {
  readonly calls: number;
  readonly periodMs: number;
}

interface CallWindow {
  count: number;
  readonly startedMs: number;
}

/** Windows by name; each begins with its first call. Their number is bounded: the oldest is dropped. */
export class CallWindows {
  readonly #maxWindows: number;
  /** In order of their beginning. */
  readonly #windows = new Map<string, CallWindow>();

  constructor(maxWindows: number) {
    this.#maxWindows = maxWindows;
  }

  /** Counts a call. A call beyond the limit is not counted: returns the milliseconds until the next one is allowed. */
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
    if (this.#windows.size > this.#maxWindows) this.#dropOldest();
    return undefined;
  }

  #dropOldest(): void {
    const oldest = this.#windows.keys().next();
    if (!oldest.done) this.#windows.delete(oldest.value);
  }
}
