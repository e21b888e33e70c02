/** Task runs and their attempts: what becomes of an outcome. */
import type { Task } from "../model/flows/flow.ts";
import type { TaskRun } from "../model/executions/execution.ts";
import { currentState, isEnded, type State } from "../model/executions/state.ts";

/** What becomes of an outcome once `allowFailure` and `allowWarning` are applied. */
export function finalState(task: Task, state: State): State {
  const allowed = state === "FAILED" && task.allowFailure ? "WARNING" : state;
  return allowed === "WARNING" && task.allowWarning ? "SUCCESS" : allowed;
}

/** True when the task run stops the sequence it belongs to. */
export function isStopping(taskRun: TaskRun): boolean {
  const state = currentState(taskRun.history);
  return state === "FAILED" || state === "KILLED" || state === "CANCELLED" || state === "RETRIED";
}

/** Attempts that count for a retry: one that a crash of the server interrupted does not. */
export function countedAttempts({ attempts }: TaskRun): number {
  return attempts.filter(({ history }) => currentState(history) !== "RESUBMITTED").length;
}

/** True while an attempt of the task run is under way. */
export function hasOpenAttempt({ attempts }: TaskRun): boolean {
  const last = attempts[attempts.length - 1];
  return last !== undefined && !isEnded(last.history);
}
