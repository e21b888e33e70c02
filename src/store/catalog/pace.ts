/** Keeps long work from holding the thread: it runs in slices and yields in between. */
import { setImmediate } from "node:timers";
import type { Clock } from "../../base/clock.ts";

/** Longest slice. */
const SLICE_MS = 4;
/** While starts are waiting the work has one part in this many of the time: without it, scans in a loop cost 75 % of them. */
const BUSY_SHARE = 4;

/** The pace of one piece of work. */
export class Pace {
  readonly #clock: Clock;
  readonly #isBusy: () => boolean;
  #sliceStart: number;

  constructor(clock: Clock, isBusy: () => boolean) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#sliceStart = clock.monotonicMs();
  }

  /** True when the slice is used up: the caller should {@link pause} at its next convenience. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#sliceStart >= SLICE_MS;
  }

  /** Lets others run, then begins a new slice. */
  async pause(): Promise<void> {
    const usedMs = this.#clock.monotonicMs() - this.#sliceStart;
    if (this.#isBusy()) {
      await new Promise<void>((resolve) => void this.#clock.setTimer(usedMs * (BUSY_SHARE - 1), resolve));
    } else {
      // One turn of the event loop; a timer of 0 ms costs 2.2 ms here, half a scan.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#sliceStart = this.#clock.monotonicMs();
  }
}
