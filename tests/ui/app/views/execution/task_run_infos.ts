/** Task runs and executions as the API gives them, for tests of the UI. */
import type { State } from "../../../../../src/model/executions/state.ts";
import type { StateInfo } from "../../../../../src/ui/app/api/entities.ts";
import type { ExecutionInfo, TaskRunInfo } from "../../../../../src/ui/app/api/execution.ts";

/** A state with its history: each state with its second after midnight. The last one ends it unless `isOpen`. */
export function stateInfo(histories: readonly (readonly [State, number])[], isOpen = false): StateInfo {
  const dated = histories.map(([state, second]) => ({ state, date: dateOf(second) }));
  const [first] = dated;
  const last = dated.at(-1);
  return {
    current: last?.state ?? "CREATED",
    histories: dated,
    startDate: first?.date ?? dateOf(0),
    endDate: isOpen ? undefined : last?.date,
    duration: 0,
  };
}

/** The instant at that second. */
export function dateOf(second: number): string {
  return new Date(second * 1_000).toISOString();
}

/** A task run that ran for a second. */
export function taskRun(id: string, more: Partial<TaskRunInfo> = {}): TaskRunInfo {
  return { id, taskId: id, state: stateInfo([["CREATED", 0], ["RUNNING", 0], ["SUCCESS", 1]]), ...more };
}

/** A task run that failed at that second. */
export function failedRun(id: string, second: number, more: Partial<TaskRunInfo> = {}): TaskRunInfo {
  return taskRun(id, { state: stateInfo([["CREATED", 0], ["RUNNING", 0], ["FAILED", second]]), ...more });
}

/** An execution in that state. */
export function execution(current: State, taskRunList: readonly TaskRunInfo[] = []): ExecutionInfo {
  const state = { ...stateInfo([["CREATED", 0], [current, 1]], current === "RUNNING"), current };
  return { id: "e", namespace: "demo", flowId: "f", flowRevision: 1, state, taskRunList };
}
