/** Executions for tests of pages. */
import type { Execution, TaskRun } from "../../src/model/executions/execution.ts";
import type { History, State } from "../../src/model/executions/state.ts";
import { FAKE_START } from "../support/fake_clock.ts";

/** A history from pairs of a state and milliseconds since the start. */
export function history(...entries: readonly (readonly [State, number])[]): History {
  return entries.map(([state, offsetMs]) => ({ state, at: FAKE_START + offsetMs }));
}

/** A task run with one attempt of the same history. */
export function taskRun(ordinal: number, members: Partial<TaskRun> & { readonly history: History }): TaskRun {
  return { ordinal, taskId: `task-${ordinal}`, attempts: [{ history: members.history }], ...members };
}

/** An execution in state CREATED, with these members instead. */
export function execution(members: Partial<Execution> = {}): Execution {
  const id = "A0Abc12XyZ90QwErTyUiOp";
  return {
    tenant: "main",
    id,
    namespace: "company.team",
    flowId: "hello",
    flowNo: 1,
    flowRevision: 3,
    history: history(["CREATED", 0]),
    labels: [{ key: "system.correlationId", value: id }],
    kind: "NORMAL",
    originalId: id,
    attemptNumber: 1,
    crashes: 0,
    taskRuns: [],
    nextOrdinal: members.taskRuns?.length ?? 0,
    touched: new Set(),
    newLogs: [],
    logCount: 0,
    timers: new Map(),
    ...members,
  };
}
