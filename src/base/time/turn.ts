/** Long work in turns, between which everything else goes on. */
import { type Clock, systemClock } from "./clock.ts";

const NOTHING = new Uint8Array(0);

/** Turns of which one waits for a timer. */
const TIMER_TURNS = 8;
const TIMER_MS = 1;
let turns = 0;

/**
 * Lets everything else go on that can: timers, and what has arrived on connections, after eight turns at the latest. `setImmediate`
 * does not do that: the run-time looks for connections when its loop has nothing to do, else only at each 61st turn (tokio's
 * `event_interval`), so that requests waited for 61 slices of a scan, a quarter of a second. Here the loop mostly has nothing to do
 * for the 10 µs in which another thread makes a digest. On a busy machine the digest may be there before the loop looks for it;
 * a timer never is, but takes a millisecond.
 */
export async function letOthersRun(): Promise<void> {
  turns = (turns + 1) % TIMER_TURNS;
  if (turns === 0) await new Promise<void>((resolve) => systemClock.setTimer(TIMER_MS, resolve));
  else await crypto.subtle.digest("SHA-1", NOTHING);
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
