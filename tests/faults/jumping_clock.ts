/** A clock whose time of day jumps while timers and durations go on, as `settimeofday` does it. */
import type { Instant } from "../../src/base/time/clock.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";

/** Advances like a {@link FakeClock}; {@link setForward} changes the time of day alone. */
export class JumpingClock extends FakeClock {
  #offsetMs = 0;

  /** @inheritdoc */
  override now(): Instant {
    return super.now() + this.#offsetMs;
  }

  /** Sets the time of day forward, or back for negative values. */
  setForward(ms: number): void {
    this.#offsetMs += ms;
  }
}
