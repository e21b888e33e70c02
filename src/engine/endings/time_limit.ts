/**
 * The `timeout` of a flowable task: how long its `tasks` may take in all. The runtime applies the `timeout` of runnable
 * tasks; a type that renders `timeout` itself gives it another meaning; tasks that start executions have none.
 */
import { formatDuration } from "../../base/time/duration.ts";
import type { TaskRun } from "../../model/executions/execution.ts";
import { changedAt, currentState } from "../../model/executions/state.ts";
import { cancelChildren, wake } from "../advance.ts";
import { enterChildren } from "../begin.ts";
import { isStoppingAll } from "./stop.ts";
import type { TaskPlace } from "../branches.ts";
import type { Transition } from "../transition.ts";
import { type Frame, setFrameEnd } from "../tree.ts";

/** Sets the timer, counted from the start of the task run: time before its children and during a crash counts too. */
export function startLimit(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const timeoutMs = limitOf(taskRun);
  if (timeoutMs === undefined) return;
  const dueAt = changedAt(taskRun.history) + timeoutMs;
  if (dueAt <= t.now) timeOut(t, taskRun, place);
  else t.emit({ type: "set_timer", timer: `timeout/${taskRun.ordinal}`, dueAt });
}

/** Sets the timer anew for a restarted task run that has none. */
export function restartLimit(t: Transition, taskRun: TaskRun, { task }: TaskPlace): void {
  const timeoutMs = task.timeout === undefined ? undefined : limitOf(taskRun); // Another revision may have none.
  const timer = `timeout/${taskRun.ordinal}` as const;
  if (timeoutMs === undefined || taskRun.decision?.end !== undefined || t.execution.timers.has(timer)) return;
  t.emit({ type: "set_timer", timer, dueAt: t.now + timeoutMs });
}

/**
 * Interrupts the children when the time is over; `errors` and `finally`, which have no limit, follow, and the task run
 * ends FAILED.
 */
export function timeOut(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const timeoutMs = limitOf(taskRun);
  const frame = t.tree.frameOf(taskRun);
  const isOver = currentState(taskRun.history) !== "RUNNING" || taskRun.decision?.end !== undefined ||
    frame !== undefined && frame.phase !== "tasks";
  if (timeoutMs === undefined || isOver || isStoppingAll(t)) return;
  wake(t);
  t.log("ERROR", `Timeout after ${formatDuration(timeoutMs)}`, taskRun);
  if (frame) t.tree.expect(frame, undefined);
  const { isWaiting: _, ...decision } = taskRun.decision ?? {};
  taskRun.decision = { ...decision, end: "FAILED" };
  t.touch(taskRun);
  if (frame) interrupt(t, frame, taskRun);
  else enterChildren(t, taskRun, place); // A loop that waits between two passes.
  const entered = t.tree.frameOf(taskRun);
  if (!entered) return;
  setFrameEnd(entered, "FAILED");
  t.touchedFrames.push(entered);
}

function interrupt(t: Transition, frame: Frame, owner: TaskRun): void {
  frame.open -= frame.ready.length;
  frame.ready = [];
  cancelChildren(t, frame, { owner, reason: `Interrupted: the time of the task "${owner.taskId}" is over` });
}

function limitOf({ decision }: TaskRun): number | undefined {
  const timeoutMs = decision?.timeoutMs;
  return typeof timeoutMs === "number" ? timeoutMs : undefined;
}
