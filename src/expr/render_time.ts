/** The time that the templates of one render may take together, read from the clock at intervals of work. */
import type { Clock } from "../base/time/clock.ts";
import { fail } from "../languages/values/mod.ts";

/** Steps between two readings of the clock: some 0.3 ms of work. */
const CHECK_STEPS = 256;
const STEPS_PER_MS = 1_000;
/** Time in this thread of a template that took too long for it before. */
const SHORT_TURN_MS = 3;

/** The evaluation would hold its thread for too long: it is to be done in another one. */
export class TurnOver extends Error {}

/** Ends a render that takes too long. Time in which nothing is evaluated, as between two attempts, does not count. */
export class RenderTime {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limitMs: number;
  /** Longest time in this thread; no less than the limit where there is no other one. */
  #turnMs: number;
  #left = CHECK_STEPS;
  #usedMs = 0;
  /** Start of the evaluation under way; `undefined` until its first reading. */
  #since: number | undefined;

  constructor(clock: Pick<Clock, "monotonicMs">, limitMs: number, turnMs = Infinity) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#turnMs = turnMs;
  }

  /** Milliseconds that the render may take. */
  get limitMs(): number {
    return this.#limitMs;
  }

  /** Milliseconds that evaluations took before they ended or were paused. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** Counts time in which the render was evaluated elsewhere. */
  charge(usedMs: number): void {
    this.#usedMs += usedMs;
  }

  /** Counts `steps` of work. @throws ExpressionError `limit` when the time is over; TurnOver */
  spend(steps: number): void {
    if ((this.#left -= steps) < 0) this.#check();
  }

  /** Notes that the evaluation ended before its result: what follows is not counted until it is repeated. */
  pause(): void {
    if (this.#since === undefined) return;
    this.#usedMs += this.#clock.monotonicMs() - this.#since;
    this.#since = undefined;
  }

  /** Lets this thread evaluate to the limit: another one cannot. */
  allowTurn(): void {
    this.#turnMs = Infinity;
  }

  /** Expects an evaluation that is to be done in another thread: this one only finds out whether it is short this time. */
  shortenTurn(): void {
    if (this.#turnMs !== Infinity) this.#turnMs = Math.min(this.#turnMs, this.#usedMs + SHORT_TURN_MS);
  }

  #check(): void {
    const now = this.#clock.monotonicMs();
    // Work is charged before it is done.
    const aheadMs = -this.#left / STEPS_PER_MS;
    this.#left = CHECK_STEPS;
    this.#since ??= now;
    const usedMs = this.#usedMs + now - this.#since + aheadMs;
    if (usedMs > this.#limitMs) {
      fail(
        "limit",
        `Cannot evaluate for more than ${this.#limitMs} ms: make the template or its data smaller, or let the server ` +
          "allow more with --max-render-time",
      );
    }
    if (usedMs > this.#turnMs) throw new TurnOver("An evaluation takes too long for this thread");
  }
}
