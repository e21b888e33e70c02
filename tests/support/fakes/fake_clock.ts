/** A clock that advances only when a test moves it. */
import { setImmediate } from "node:timers";
import type { CancelTimer, Clock, Instant } from "../../../src/base/time/clock.ts";

interface Timer {
  readonly dueAt: Instant;
  readonly order: number;
  readonly callback: () => void;
}

/** Start time of a new fake clock. */
export const FAKE_START: Instant = Date.UTC(2026, 0, 15, 10, 30, 0);

const SETTLE_TURNS = 10;

/** Fires timers in order of their due times when it is advanced. */
export class FakeClock implements Clock {
  #now: Instant;
  #order = 0;
  /** The next one to fire comes last. */
  readonly #timers: Timer[] = [];
  readonly #turns: number;

  /** `turns`: turns of the event loop in which work settles; 1 is enough for work that waits for promises only. */
  constructor(start: Instant = FAKE_START, turns = SETTLE_TURNS) {
    this.#now = start;
    this.#turns = turns;
  }

  /** @inheritdoc */
  now(): Instant {
    return Math.floor(this.#now);
  }

  /** @inheritdoc */
  monotonicMs(): number {
    return this.#now;
  }

  /** @inheritdoc */
  setTimer(delayMs: number, callback: () => void): CancelTimer {
    const timer = { dueAt: this.#now + Math.max(0, delayMs), order: this.#order++, callback };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    return () => {
      const place = this.#placeOf(timer);
      if (this.#timers[place] === timer) this.#timers.splice(place, 1);
    };
  }

  /** Timers that have not fired. */
  get timerCount(): number {
    return this.#timers.length;
  }

  /**
   * Advances the time by `ms`; fires each due timer and waits until its work settles. Between timers that are due at the same
   * instant only what waits for promises settles: most are idle checks of one second, a third of a million in a day.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle(this.#turns);
    for (let timer = this.#next(end); timer; timer = this.#next(end)) {
      this.#timers.pop();
      this.#now = Math.max(this.#now, timer.dueAt);
      timer.callback();
      await settle(1);
      const isLast = (this.#next(end)?.dueAt ?? Infinity) > this.#now;
      if (isLast) await settle(this.#turns - 1);
    }
    this.#now = end;
    await settle(this.#turns);
  }

  /** Sets the clock forward or back without firing timers. */
  jump(ms: number): void {
    this.#now += ms;
  }

  #next(end: Instant): Timer | undefined {
    const timer = this.#timers.at(-1);
    return timer && timer.dueAt <= end ? timer : undefined;
  }

  /** Where a timer stands, or would: those that fire after it come before it. */
  #placeOf({ dueAt, order }: Timer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#timers[middle] as Timer;
      if (other.dueAt > dueAt || other.dueAt === dueAt && other.order > order) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Runs ready promises for some turns of the event loop. */
export function settle(turns = SETTLE_TURNS): Promise<void> {
  return new Promise((resolve) => {
    let left = turns;
    const turn = () => left-- > 0 ? void setImmediate(turn) : resolve();
    turn();
  });
}
