/** Task runs and their attempts: opening, trying, ending. */
import type { Instant } from "../base/clock.ts";
import type { Execution, TaskRun } from "../model/execution.ts";
import type { Task } from "../model/flow.ts";
import { currentState, isEnded, move, type State } from "../model/state.ts";

/** Adds a task run in state CREATED. */
export function openTaskRun(execution: Execution, task: Task, now: Instant): TaskRun {
  const taskRun: TaskRun = {
    ordinal: execution.taskRuns.length,
    taskId: task.id,
    history: [{ state: "CREATED", at: now }],
    attempts: [],
  };
  execution.taskRuns.push(taskRun);
  execution.touched.add(taskRun.ordinal);
  return taskRun;
}

/** Adds an attempt, CREATED and RUNNING at the same instant, and moves the task run to RUNNING. */
export function startAttempt(execution: Execution, taskRun: TaskRun, now: Instant): void {
  move("task_run", taskRun.history, "RUNNING", now);
  taskRun.attempts.push({ history: [{ state: "CREATED", at: now }, { state: "RUNNING", at: now }] });
  execution.touched.add(taskRun.ordinal);
}

/** Ends the latest attempt, if it is still open. */
export function endAttempt(taskRun: TaskRun, state: State, now: Instant): void {
  const attempt = taskRun.attempts[taskRun.attempts.length - 1];
  if (attempt && !isEnded(attempt.history)) move("task_run", attempt.history, state, now);
}

/** Ends a task run. */
export function endTaskRun(execution: Execution, taskRun: TaskRun, state: State, now: Instant): void {
  move("task_run", taskRun.history, state, now);
  execution.touched.add(taskRun.ordinal);
}

/** What becomes of an outcome once `allowFailure` and `allowWarning` are applied. */
export function finalState(task: Task, state: State): State {
  const allowed = state === "FAILED" && task.allowFailure ? "WARNING" : state;
  return allowed === "WARNING" && task.allowWarning ? "SUCCESS" : allowed;
}

/** True when the task run stops the sequence it belongs to. */
export function isStopping(taskRun: TaskRun): boolean {
  const state = currentState(taskRun.history);
  return state === "FAILED" || state === "KILLED" || state === "CANCELLED";
}
