/** Time as an argument: the one place that reads the real clock. Tests pass a clock of their own. */

/** Milliseconds since the Unix epoch. */
export type Instant = number;

/** A source of time and of timers. */
export interface Clock {
  /** The current time. */
  now(): Instant;
  /** Milliseconds of a clock that never goes back, for durations. */
  monotonicMs(): number;
  /** Calls `callback` once after `delayMs`; returns what cancels it. */
  setTimer(delayMs: number, callback: () => void): CancelTimer;
}

/** Cancels a timer; calling it again or after the timer fired does nothing. */
export type CancelTimer = () => void;

/** setTimeout waits at most 2^31-1 ms; a longer one is cut, so callers must look at the time when woken. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

let isoSecond = -1;
let isoPrefix = "";

/** ISO 8601 UTC text with milliseconds, `2026-01-31T08:15:30.123Z`. The text of the last second is kept: it is asked for thousands of times a second. */
export function toIso(instant: Instant): string {
  const second = Math.floor(instant / 1000);
  if (second !== isoSecond) {
    isoPrefix = new Date(second * 1000).toISOString().slice(0, 20);
    isoSecond = second;
  }
  const ms = instant - second * 1000;
  return `${isoPrefix}${ms < 10 ? "00" : ms < 100 ? "0" : ""}${ms}Z`;
}

/** The same of an instant that there may not be. */
export function optionalIso(instant: Instant | undefined): string | undefined {
  return instant === undefined ? undefined : toIso(instant);
}
