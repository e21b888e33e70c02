/**
 * The `timeout` of a task that arranges others: how long its `tasks` may take in all. Runnable tasks have theirs where
 * they run; a type that renders `timeout` itself gives it a meaning of its own, and what starts executions has none.
 */
import { formatDuration } from "../base/duration.ts";
import type { TaskRun } from "../model/executions/execution.ts";
import { changedAt, currentState } from "../model/executions/state.ts";
import { cancelChildren, wake } from "./advance.ts";
import { enterChildren } from "./begin.ts";
import { isStoppingAll } from "./stop.ts";
import type { TaskPlace } from "./branches.ts";
import type { Transition } from "./transition.ts";
import { endLoopIn, type Frame } from "./tree.ts";

/** Begins to count, from the start of the task run: what was done before its children counts too, and so does a crash. */
export function startLimit(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const timeoutMs = limitOf(taskRun);
  if (timeoutMs === undefined) return;
  const dueAt = changedAt(taskRun.history) + timeoutMs;
  if (dueAt <= t.now) timeOut(t, taskRun, place);
  else t.ask({ type: "set_timer", timer: `timeout/${taskRun.ordinal}`, dueAt });
}

/** Begins to count anew, for a task run that has children and whose time is not counted: it was restarted. */
export function restartLimit(t: Transition, taskRun: TaskRun, { task }: TaskPlace): void {
  const timeoutMs = task.timeout === undefined ? undefined : limitOf(taskRun); // Another revision may have none.
  const timer = `timeout/${taskRun.ordinal}` as const;
  if (timeoutMs === undefined || taskRun.decision?.end !== undefined || t.execution.timers.has(timer)) return;
  t.ask({ type: "set_timer", timer, dueAt: t.now + timeoutMs });
}

/**
 * The time is over: the children are interrupted, `errors` and `finally` follow, and it ends FAILED. These have no limit:
 * once they run nothing is to be done.
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
  else enterChildren(t, taskRun, place); // A loop between two passes.
  const entered = t.tree.frameOf(taskRun);
  if (!entered) return;
  endLoopIn(entered, "FAILED");
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
