import { assertEquals } from "@std/assert";
import {
  afterDate,
  decideTick,
  dueOf,
  type ScheduleFacts,
  type SchedulePolicy,
  type ScheduleState,
  type TickDecision,
} from "../../src/engine/schedule.ts";
import type { FireTimes } from "../../src/model/triggers/trigger_catalog.ts";

const MINUTE = 60_000;

/** Every ten minutes; times are given by their minute. */
const TIMES: FireTimes = {
  next: (after) => (Math.floor(after / (10 * MINUTE)) + 1) * 10 * MINUTE,
  previous: (before) => (Math.ceil(before / (10 * MINUTE)) - 1) * 10 * MINUTE,
  text: (at) => String(at / MINUTE),
};

const at = (minute: number) => minute * MINUTE;
const backfill = (from: number, end: number, isPaused = false) => ({
  start: at(from),
  end: at(end),
  currentDate: at(from),
  isPaused,
});

interface Case {
  readonly name: string;
  readonly state: ScheduleState;
  readonly policy?: Partial<SchedulePolicy>;
  readonly facts?: Partial<ScheduleFacts>;
  readonly decision: TickDecision;
}

const CASES: readonly Case[] = [
  {
    name: "fires at its date",
    state: { nextDate: at(100) },
    decision: { type: "fire", date: at(100), isBackfill: false },
  },
  { name: "rests before its date", state: { nextDate: at(110) }, decision: { type: "rest" } },
  { name: "rests when there is no date any more", state: {}, decision: { type: "rest" } },
  {
    name: "passes over a date while the last execution runs",
    state: { nextDate: at(100) },
    facts: { isRunning: true },
    decision: {
      type: "skip",
      date: at(100),
      reason: "The previous execution is still running",
      nextDate: at(110),
    },
  },
  {
    name: "fires while the last execution runs when that is allowed",
    state: { nextDate: at(100) },
    policy: { allowConcurrent: true },
    facts: { isRunning: true },
    decision: { type: "fire", date: at(100), isBackfill: false },
  },
  {
    name: "makes up for the first of the missed dates",
    state: { nextDate: at(50) },
    decision: { type: "fire", date: at(50), isBackfill: false },
  },
  {
    name: "lets a missed date wait while the last execution runs",
    state: { nextDate: at(50) },
    facts: { isRunning: true },
    decision: { type: "wait" },
  },
  {
    name: "lets a date that passed while the process was stopped wait for the last execution",
    state: { nextDate: at(100) },
    facts: { isRunning: true, delayedUntil: at(100) + 1 },
    decision: { type: "wait" },
  },
  {
    name: "lets a date wait for an end of the last execution that is not durable yet",
    state: { nextDate: at(100) },
    facts: { isRunning: true, isEnding: true },
    decision: { type: "wait" },
  },
  {
    name: "makes up for the last of the missed dates alone",
    state: { nextDate: at(50) },
    policy: { recover: "LAST" },
    decision: { type: "fire", date: at(100), isBackfill: false },
  },
  {
    name: "passes over all missed dates",
    state: { nextDate: at(50) },
    policy: { recover: "NONE" },
    decision: { type: "skip", date: at(50), reason: "It was missed", nextDate: at(110) },
  },
  {
    name: "takes a date before the start of the process for missed",
    state: { nextDate: at(100) },
    policy: { recover: "NONE" },
    facts: { startedAt: at(100) + 1 },
    decision: { type: "skip", date: at(100), reason: "It was missed", nextDate: at(110) },
  },
  {
    name: "does not take a date that is a little late for missed",
    state: { nextDate: at(100) },
    policy: { recover: "NONE" },
    facts: { now: at(100) + 30_000 },
    decision: { type: "fire", date: at(100), isBackfill: false },
  },
  {
    name: "passes over dates that are later than allowed",
    state: { nextDate: at(50) },
    policy: { lateMaximumDelayMs: 15 * MINUTE },
    decision: {
      type: "skip",
      date: at(50),
      reason: "It is late by more than 900000 ms",
      nextDate: at(90),
    },
  },
  {
    name: "makes up for past dates before the next one",
    state: { nextDate: at(100), backfill: backfill(20, 40) },
    decision: { type: "fire", date: at(20), isBackfill: true },
  },
  {
    name: "makes up for one date at a time",
    state: { nextDate: at(100), backfill: backfill(20, 40) },
    facts: { isRunning: true },
    decision: { type: "wait" },
  },
  {
    name: "goes on with its dates while a backfill is paused",
    state: { nextDate: at(100), backfill: backfill(20, 40, true) },
    decision: { type: "fire", date: at(100), isBackfill: false },
  },
];

for (const { name, state, policy, facts, decision } of CASES) {
  Deno.test(`decideTick() ${name}`, () => {
    const rules: SchedulePolicy = { recover: "ALL", allowConcurrent: false, ...policy };
    const calm = { startedAt: 0, delayedUntil: 0, isRunning: false, isEnding: false };
    const known: ScheduleFacts = { now: at(100), ...calm, ...facts };
    assertEquals(decideTick(state, { times: TIMES, policy: rules }, known), decision);
  });
}

Deno.test("afterDate() of a date goes on to the next", () => {
  const next = afterDate({ nextDate: at(100) }, at(100), { times: TIMES, isBackfill: false });
  assertEquals([next.nextDate, dueOf(next, at(100))], [at(110), at(110)]);
});

Deno.test("afterDate() of a backfill goes on to its end, and leaves the next date alone", () => {
  let state: ScheduleState = { nextDate: at(110), backfill: backfill(20, 40) };
  const dates: number[] = [];
  while (state.backfill) {
    dates.push(state.backfill.currentDate / MINUTE);
    assertEquals(dueOf(state, at(100)), at(100));
    state = afterDate(state, state.backfill.currentDate, { times: TIMES, isBackfill: true });
  }
  assertEquals([dates, state.nextDate, dueOf(state, at(100))], [[20, 30, 40], at(110), at(110)]);
});
