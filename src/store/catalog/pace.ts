/** Paces long work, so that it does not block the thread: the work runs in slices and yields between them. */
import type { Clock } from "../../base/time/clock.ts";
import { letOthersRun } from "../../base/time/turn.ts";

/** Longest slice. */
const SLICE_MS = 4;
/** While starts are waiting, scans get 1/5 of the time. Without this limit, scans in a loop reduce starts by 75 %. */
const BUSY_SHARE = 5;
/** Shorter waits are added to the next slice, because timers are not more precise. */
const MIN_WAIT_MS = 1;
/** Longest wait for the next slice. */
const MAX_WAIT_MS = 100;

/**
 * The pace of all scans, which run one at a time. Time used while starts are waiting is carried over to the next scan, so
 * that short scans in a loop use no larger share of the thread than one long scan.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #isBusy: () => boolean;
  #sliceStart: number;
  /** The time from which the used time is within the share. */
  #paidAt: number;

  constructor(clock: Clock, isBusy: () => boolean) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#sliceStart = clock.monotonicMs();
    this.#paidAt = this.#sliceStart;
  }

  /** True when the slice is used up; the caller should {@link pause} soon. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#sliceStart >= SLICE_MS;
  }

  /** Begins a scan; first waits until earlier scans are within the share, if starts are waiting. */
  async begin(): Promise<void> {
    if (this.#isBusy()) await this.#wait();
    this.#sliceStart = this.#clock.monotonicMs();
  }

  /** Ends a scan. `moreMs` is work outside the scan, such as the response. */
  end(moreMs = 0): void {
    this.#charge(moreMs);
  }

  /** Yields to other work, then begins a new slice. */
  async pause(): Promise<void> {
    this.#charge(0);
    // A 0 ms timer would cost 2.2 ms, half a scan.
    if (!this.#isBusy() || !await this.#wait()) await letOthersRun();
    this.#sliceStart = this.#clock.monotonicMs();
  }

  #charge(moreMs: number): void {
    const now = this.#clock.monotonicMs();
    const usedMs = now - this.#sliceStart + moreMs;
    if (!this.#isBusy()) this.#paidAt = now;
    else this.#paidAt = Math.max(this.#paidAt, this.#sliceStart) + usedMs * BUSY_SHARE;
    this.#paidAt = Math.min(this.#paidAt, now + MAX_WAIT_MS);
  }

  /** False when no wait is needed. */
  async #wait(): Promise<boolean> {
    const waitMs = this.#paidAt - this.#clock.monotonicMs();
    if (waitMs < MIN_WAIT_MS) return false;
    await new Promise<void>((resolve) => void this.#clock.setTimer(waitMs, resolve));
    return true;
  }
}
