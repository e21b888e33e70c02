/**
 * A clock that never shows less than a given instant. While the clock below shows less, time passes at half speed, so that
 * the two meet again and durations stay positive.
 */
import type { CancelTimer, Clock, Instant } from "./clock.ts";

const SPEED = 0.5;

/** The clock. Its timers are those of the clock below: what they call must check the time. */
export class FlooredClock implements Clock {
  readonly #clock: Clock;
  #floor: Instant = -Infinity;
  /** When the floor was set. */
  #sinceMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From now on no earlier instant is shown. */
  raise(instant: Instant): void {
    if (instant <= this.now()) return;
    this.#floor = instant;
    this.#sinceMs = this.#clock.monotonicMs();
  }

  /** @inheritdoc */
  now(): Instant {
    const floor = this.#floor + Math.floor(SPEED * (this.#clock.monotonicMs() - this.#sinceMs));
    return Math.max(this.#clock.now(), floor);
  }

  /** @inheritdoc */
  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  /** @inheritdoc */
  setTimer(delayMs: number, callback: () => void): CancelTimer {
    return this.#clock.setTimer(delayMs, callback);
  }
}
