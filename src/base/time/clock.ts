/** Time as an argument: the only place that reads the real clock. Tests pass their own. */

/** Milliseconds since the Unix epoch. */
export type Instant = number;

/** A source of time and of timers. */
export interface Clock {
  /** The current time. */
  now(): Instant;
  /** Milliseconds of a clock that never goes back; for durations. */
  monotonicMs(): number;
  /** Calls `callback` once after `delayMs`. */
  setTimer(delayMs: number, callback: () => void): CancelTimer;
}

/** Cancels a timer; no effect after it fired or was cancelled. */
export type CancelTimer = () => void;

/** The longest delay of setTimeout; a longer one is waited for in parts. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, callback) {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (leftMs: number) => {
      timer = leftMs > MAX_TIMER_MS
        ? setTimeout(() => wait(leftMs - MAX_TIMER_MS), MAX_TIMER_MS)
        : setTimeout(callback, Math.max(leftMs, 0));
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
};

let isoSecond = -1;
let isoPrefix = "";

/** ISO 8601 UTC text with milliseconds, `2026-01-31T08:15:30.123Z`. Caches the text of the last second, for thousands of calls a second. */
export function toIso(instant: Instant): string {
  const second = Math.floor(instant / 1000);
  if (second !== isoSecond) {
    isoPrefix = new Date(second * 1000).toISOString().slice(0, 20);
    isoSecond = second;
  }
  const ms = instant - second * 1000;
  return `${isoPrefix}${ms < 10 ? "00" : ms < 100 ? "0" : ""}${ms}Z`;
}

/** As {@link toIso}; `undefined` without an instant. */
export function optionalIso(instant: Instant | undefined): string | undefined {
  return instant === undefined ? undefined : toIso(instant);
}
