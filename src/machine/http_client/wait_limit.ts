/** How long waits may last. One timer serves all waits of a connection: an answer is read in many. */
import type { CancelTimer, Clock, Instant } from "../../base/clock.ts";

/** Calls back when a wait lasts longer than it may. */
export class WaitLimit {
  readonly #clock: Clock;
  readonly #onLate: (limitMs: number) => void;
  #limitMs = 0;
  /** End of the wait that is under way, of a clock that never goes back. */
  #endsAt: Instant | undefined;
  #firesAt: Instant = 0;
  #cancelTimer: CancelTimer | undefined;

  constructor(clock: Clock, onLate: (limitMs: number) => void) {
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /** A wait begins; the one before is over. */
  begin(limitMs: number): void {
    const endsAt = this.#clock.monotonicMs() + limitMs;
    this.#limitMs = limitMs;
    this.#endsAt = endsAt;
    if (this.#cancelTimer && this.#firesAt <= endsAt) return;
    this.stop();
    this.#start(endsAt, limitMs);
  }

  /** The wait is over. */
  end(): void {
    this.#endsAt = undefined;
  }

  /** No wait follows. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #start(firesAt: Instant, delayMs: number): void {
    this.#firesAt = firesAt;
    this.#cancelTimer = this.#clock.setTimer(Math.ceil(delayMs), () => this.#fire());
  }

  /** The timer may have been started for a wait that is long over. */
  #fire(): void {
    this.#cancelTimer = undefined;
    if (this.#endsAt === undefined) return;
    const leftMs = this.#endsAt - this.#clock.monotonicMs();
    if (leftMs > 0) this.#start(this.#endsAt, leftMs);
    else this.#onLate(this.#limitMs);
  }
}
