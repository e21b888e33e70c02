/** Decides what a schedule does at a date: fire, skip or wait. */
import type { Instant } from "../base/time/clock.ts";
import type { FireTimes } from "../model/triggers/trigger_catalog.ts";
import type { Backfill, TriggerState } from "../model/triggers/trigger_state.ts";

/** The rules of a schedule for dates that are missed, late, or due while its last execution runs. */
export interface SchedulePolicy {
  /** Which missed dates fire afterwards. */
  readonly recover: "ALL" | "LAST" | "NONE";
  readonly lateMaximumDelayMs?: number;
  readonly allowConcurrent: boolean;
}

/** The facts at one instant. */
export interface ScheduleFacts {
  readonly now: Instant;
  /** When this process began to evaluate schedules. */
  readonly startedAt: Instant;
  /** Evaluations were delayed until then: the process was stopped, or too busy. */
  readonly delayedUntil: Instant;
  /** The last execution of the schedule has not ended, or its end is not durable yet. */
  readonly isRunning: boolean;
  /** Its end is not durable yet. */
  readonly isEnding: boolean;
}

/** The decision about a schedule. */
export type TickDecision =
  /** No date is due. */
  | { readonly type: "rest" }
  /** The last execution must end first. */
  | { readonly type: "wait" }
  | { readonly type: "skip"; readonly date: Instant; readonly reason: string; readonly nextDate?: Instant }
  | { readonly type: "fire"; readonly date: Instant; readonly isBackfill: boolean };

/** The dates that a schedule still has to handle. */
export type ScheduleState = Pick<TriggerState, "nextDate" | "backfill">;

/** An older date counts as missed: the process was down or the machine was asleep. */
const MISSED_MS = 60_000;

/** What the schedule does now. */
export function decideTick(
  { nextDate, backfill }: ScheduleState,
  { times, policy }: { readonly times: FireTimes; readonly policy: SchedulePolicy },
  facts: ScheduleFacts,
): TickDecision {
  if (backfill && !backfill.isPaused) {
    if (facts.isRunning && !policy.allowConcurrent) return { type: "wait" };
    return { type: "fire", date: backfill.currentDate, isBackfill: true };
  }
  if (nextDate === undefined || nextDate > facts.now) return { type: "rest" };
  return decideDate(nextDate, { times, policy }, facts);
}

function decideDate(
  due: Instant,
  { times, policy }: { readonly times: FireTimes; readonly policy: SchedulePolicy },
  { now, startedAt, delayedUntil, isRunning, isEnding }: ScheduleFacts,
): TickDecision {
  const isMissed = due < startedAt || now - due > MISSED_MS;
  if (isMissed && policy.recover === "NONE") {
    return { type: "skip", date: due, reason: "It was missed", nextDate: times.next(now) };
  }
  const last = isMissed && policy.recover === "LAST" ? times.previous(now + 1) : undefined;
  const date = last !== undefined && last > due ? last : due;
  const { lateMaximumDelayMs } = policy;
  if (lateMaximumDelayMs !== undefined && now - date > lateMaximumDelayMs) {
    const nextDate = times.next(Math.max(date, now - lateMaximumDelayMs - 1));
    return { type: "skip", date, reason: `It is late by more than ${lateMaximumDelayMs} ms`, nextDate };
  }
  if (isRunning && !policy.allowConcurrent) {
    // A missed date waits, as no execution ran at it, and so does one after an end; another date in time is skipped.
    if (isMissed || due < delayedUntil || isEnding) return { type: "wait" };
    return {
      type: "skip",
      date,
      reason: "The previous execution is still running",
      nextDate: times.next(date),
    };
  }
  return { type: "fire", date, isBackfill: false };
}

/** The state of a schedule after a date was handled. */
export function afterDate(
  state: ScheduleState,
  date: Instant,
  { times, isBackfill }: { readonly times: FireTimes; readonly isBackfill: boolean },
): ScheduleState {
  const { backfill, nextDate } = state;
  if (!isBackfill || !backfill) return { backfill, nextDate: times.next(date) };
  return { nextDate, backfill: advance(backfill, times.next(date)) };
}

function advance(backfill: Backfill, next: Instant | undefined): Backfill | undefined {
  return next === undefined || next > backfill.end ? undefined : { ...backfill, currentDate: next };
}

/** When a schedule must be evaluated next. */
export function dueOf({ nextDate, backfill }: ScheduleState, now: Instant): Instant | undefined {
  return backfill && !backfill.isPaused ? now : nextDate;
}
