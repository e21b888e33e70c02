/** Long work in turns, between which everything else goes on. */
import type { Clock } from "./clock.ts";

const NOTHING = new Uint8Array(0);

/**
 * Lets everything else go on that can: timers, and what has arrived on connections. `setImmediate` does not do that: the
 * run-time looks for connections when its loop has nothing to do, else only at each 61st turn (tokio's `event_interval`), so
 * that requests waited for 61 slices of a scan, a quarter of a second. Here the loop has nothing to do for the 10 µs in which
 * another thread makes a digest.
 */
export async function letOthersRun(): Promise<void> {
  await crypto.subtle.digest("SHA-1", NOTHING);
}

/** Turns of work that consists of many short parts. */
export class Turns {
  readonly #clock: Clock;
  readonly #lengthMs: number;
  #end: number;
  /** Shared by all that work at the same time. */
  #waiting: Promise<void> | undefined;

  constructor(clock: Clock, lengthMs: number) {
    this.#clock = clock;
    this.#lengthMs = lengthMs;
    this.#end = clock.monotonicMs() + lengthMs;
  }

  /** Called after each part; once a turn it waits for {@link letOthersRun}. */
  async next(): Promise<void> {
    if (this.#clock.monotonicMs() >= this.#end) await (this.#waiting ??= this.#wait());
  }

  async #wait(): Promise<void> {
    await letOthersRun();
    this.#end = this.#clock.monotonicMs() + this.#lengthMs;
    this.#waiting = undefined;
  }
}
