import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { Execution, TaskRun } from "../../../src/model/executions/execution.ts";
import { type WaitingFacts, waitingOf } from "../../../src/model/executions/execution_waiting.ts";
import type { State } from "../../../src/model/executions/state.ts";
import { createExecution } from "../../../src/engine/create.ts";
import { taskRunId } from "../../../src/base/id.ts";
import { plan } from "../../support/flows/flows.ts";

const ID = "AVbbB83o000xXUY4wsF0c8";
const AT = Date.UTC(2026, 0, 1);
const SINCE = "2026-01-01T00:00:02.000Z";
const UNTIL = "2026-01-01T00:01:00.000Z";
const DUE = AT + 60_000;

interface Row {
  readonly rule: string;
  readonly state: State;
  readonly more?: Partial<Execution>;
  readonly timers?: readonly string[];
  readonly taskRuns?: readonly TaskRun[];
  readonly facts?: WaitingFacts;
  readonly waiting: JsonObject | undefined;
}

function taskRun(ordinal: number, state: State, more: Partial<TaskRun> = {}): TaskRun {
  const history = [{ state: "CREATED" as const, at: AT }, { state, at: AT + 2_000 }];
  return { ordinal, taskId: `t${ordinal}`, history, attempts: [], ...more };
}

const OPEN = { attempts: [{ history: [{ state: "RUNNING" as const, at: AT }] }] };
const FIRST = { taskId: "t0", taskRunId: taskRunId(ID, 0) };

/** Counts of a Loop of three passes that have all ended once; some run again after a restart. */
function passes(running: number): Partial<TaskRun> {
  const again = { next: 3, left: 0, running };
  return {
    ...OPEN,
    decision: { children: { total: 3, started: 3, ended: { SUCCESS: 1, FAILED: 2 }, again } },
  };
}

const ROWS: readonly Row[] = [
  { rule: "an ended execution", state: "SUCCESS", waiting: undefined },
  { rule: "a starting execution", state: "CREATED", waiting: undefined },
  {
    rule: "its schedule date",
    state: "CREATED",
    timers: ["start"],
    waiting: { reason: "SCHEDULED", since: SINCE, until: UNTIL },
  },
  {
    rule: "its turn in the queue",
    state: "QUEUED",
    facts: { queue: { running: 2, ahead: 5, limit: 2 } },
    waiting: { reason: "QUEUED", since: SINCE, running: 2, ahead: 5, limit: 2 },
  },
  {
    rule: "restarted passes",
    state: "RUNNING",
    taskRuns: [taskRun(0, "RUNNING", passes(2))],
    waiting: { reason: "SUBFLOW", since: SINCE, ...FIRST, total: 3, started: 3, ended: 1 },
  },
  {
    rule: "restarted passes that have all ended",
    state: "RUNNING",
    taskRuns: [taskRun(0, "RUNNING", passes(0))],
    waiting: undefined,
  },
  {
    rule: "resume of the execution",
    state: "PAUSED",
    more: { isHeld: true },
    taskRuns: [taskRun(0, "PAUSED")],
    waiting: { reason: "HELD", since: SINCE },
  },
  {
    rule: "resume of a task",
    state: "PAUSED",
    taskRuns: [taskRun(0, "PAUSED")],
    waiting: { reason: "PAUSED", since: SINCE, ...FIRST },
  },
  {
    rule: "the end of a pause",
    state: "PAUSED",
    timers: ["task/0"],
    taskRuns: [taskRun(0, "PAUSED")],
    waiting: { reason: "PAUSED", since: SINCE, ...FIRST, until: UNTIL },
  },
  {
    rule: "resume at a breakpoint",
    state: "BREAKPOINT",
    facts: { heldTasks: ["a", "b.1"] },
    waiting: { reason: "BREAKPOINT", since: SINCE, taskIds: ["a", "b.1"] },
  },
  {
    rule: "the next attempt",
    state: "RETRYING",
    timers: ["task/0"],
    taskRuns: [taskRun(0, "RETRYING")],
    waiting: { reason: "RETRY", since: SINCE, ...FIRST, until: UNTIL },
  },
  {
    rule: "another execution",
    state: "RUNNING",
    taskRuns: [taskRun(0, "RUNNING", { ...OPEN, decision: { executionId: "X" } })],
    waiting: { reason: "SUBFLOW", since: SINCE, ...FIRST, executionId: "X" },
  },
  {
    rule: "a timer",
    state: "RUNNING",
    timers: ["task/0"],
    taskRuns: [taskRun(0, "RUNNING", OPEN)],
    waiting: { reason: "TIMER", since: SINCE, ...FIRST, until: UNTIL },
  },
  {
    rule: "a timer within another task",
    state: "RUNNING",
    timers: ["task/1"],
    taskRuns: [taskRun(0, "RUNNING", { decision: {} }), taskRun(1, "RUNNING", OPEN)],
    waiting: { reason: "TIMER", since: SINCE, taskId: "t1", taskRunId: taskRunId(ID, 1), until: UNTIL },
  },
  {
    rule: "a worker",
    state: "RUNNING",
    taskRuns: [taskRun(0, "RUNNING", OPEN)],
    facts: { workers: new Map([[0, { group: "gpu", isConnected: false }]]) },
    waiting: { reason: "WORKER", since: SINCE, ...FIRST, group: "gpu", isConnected: false },
  },
  {
    rule: "a working task",
    state: "RUNNING",
    timers: ["task/0"],
    taskRuns: [taskRun(0, "RUNNING", OPEN), taskRun(1, "RUNNING", OPEN)],
    waiting: undefined,
  },
  {
    rule: "a kill in progress",
    state: "KILLING",
    taskRuns: [taskRun(0, "KILLING", OPEN)],
    waiting: undefined,
  },
];
for (const { rule, state, more, timers = [], taskRuns = [], facts = {}, waiting } of ROWS) {
  Deno.test(`waitingOf() ${rule} (${state})`, () => {
    const created = createExecution(plan().flow, { id: ID, labels: [], kind: "NORMAL" }, AT);
    const execution: Execution = {
      ...created,
      history: [...created.history, { state, at: AT + 2_000 }],
      timers: new Map(timers.map((name) => [name, DUE])),
      taskRuns: [...taskRuns],
      ...more,
    };
    assertEquals(waitingOf(execution, facts), waiting);
  });
}
