/** Limits the duration of waits. One timer serves all waits of a connection, since a response takes many. */
import type { CancelTimer, Clock, Instant } from "../../base/time/clock.ts";

/** Calls back when a wait exceeds its limit. */
export class WaitLimit {
  readonly #clock: Clock;
  readonly #onLate: (limitMs: number) => void;
  #limitMs = 0;
  /** End of the current wait, in monotonic time. */
  #endsAt: Instant | undefined;
  #firesAt: Instant = 0;
  #cancelTimer: CancelTimer | undefined;

  constructor(clock: Clock, onLate: (limitMs: number) => void) {
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /** Begins a wait; the previous one is over. */
  begin(limitMs: number): void {
    const endsAt = this.#clock.monotonicMs() + limitMs;
    this.#limitMs = limitMs;
    this.#endsAt = endsAt;
    if (this.#cancelTimer && this.#firesAt <= endsAt) return;
    this.stop();
    this.#start(endsAt, limitMs);
  }

  /** Ends the wait. */
  end(): void {
    this.#endsAt = undefined;
  }

  /** Ends the timer; no wait follows. */
  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #start(firesAt: Instant, delayMs: number): void {
    this.#firesAt = firesAt;
    this.#cancelTimer = this.#clock.setTimer(Math.ceil(delayMs), () => this.#fire());
  }

  /** The timer may belong to an earlier wait. */
  #fire(): void {
    this.#cancelTimer = undefined;
    if (this.#endsAt === undefined) return;
    const leftMs = this.#endsAt - this.#clock.monotonicMs();
    if (leftMs > 0) this.#start(this.#endsAt, leftMs);
    else this.#onLate(this.#limitMs);
  }
}
