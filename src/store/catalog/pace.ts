/** Keeps long work from holding the thread: it runs in slices and yields in between. */
import { setImmediate } from "node:timers";
import type { Clock } from "../../base/clock.ts";

/** Longest slice. */
const SLICE_MS = 4;
/** While starts are waiting the work has one part in this many of the time: without it, scans in a loop cost 75 % of them. */
const BUSY_SHARE = 4;
/** Less is carried on to the next slice: a timer is no finer. */
const MIN_WAIT_MS = 1;
/** However much was used, nobody waits longer than this for the next slice. */
const MAX_WAIT_MS = 100;

/**
 * The pace of all scans, one at a time. What a scan takes while starts are waiting is carried over to the next one, so that short scans in a
 * loop leave as much of the thread as one long scan does.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #isBusy: () => boolean;
  #sliceStart: number;
  /** Until then the time used is more than the share. */
  #paidAt: number;

  constructor(clock: Clock, isBusy: () => boolean) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#sliceStart = clock.monotonicMs();
    this.#paidAt = this.#sliceStart;
  }

  /** True when the slice is used up: the caller should {@link pause} at its next convenience. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#sliceStart >= SLICE_MS;
  }

  /** Begins a scan: at once, or when earlier ones have left enough time to waiting starts. */
  async begin(): Promise<void> {
    if (this.#isBusy()) await this.#wait();
    this.#sliceStart = this.#clock.monotonicMs();
  }

  /** Ends a scan. `moreMs` is work that it causes elsewhere. */
  end(moreMs = 0): void {
    this.#charge(moreMs);
  }

  /** Lets others run, then begins a new slice. */
  async pause(): Promise<void> {
    this.#charge(0);
    // One turn of the event loop; a timer of 0 ms costs 2.2 ms here, half a scan.
    if (!this.#isBusy() || !await this.#wait()) await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sliceStart = this.#clock.monotonicMs();
  }

  #charge(moreMs: number): void {
    const now = this.#clock.monotonicMs();
    const usedMs = now - this.#sliceStart + moreMs;
    if (!this.#isBusy()) this.#paidAt = now;
    else this.#paidAt = Math.max(this.#paidAt, this.#sliceStart) + usedMs * BUSY_SHARE;
    this.#paidAt = Math.min(this.#paidAt, now + MAX_WAIT_MS);
  }

  /** False when there is nothing to wait for. */
  async #wait(): Promise<boolean> {
    const waitMs = this.#paidAt - this.#clock.monotonicMs();
    if (waitMs < MIN_WAIT_MS) return false;
    await new Promise<void>((resolve) => void this.#clock.setTimer(waitMs, resolve));
    return true;
  }
}
