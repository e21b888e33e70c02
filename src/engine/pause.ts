/** Waiting for a person or a time: Pause tasks, held executions, breakpoints. */
import { type Instant, toIso } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import { currentState, isEnded, type State } from "../model/executions/state.ts";
import { endTaskRun, isBreakpoint, pickBranch, touchAllFrames, wake } from "./advance.ts";
import { finalState } from "./attempts.ts";
import { enterChildren } from "./begin.ts";
import { resumeAllChildren } from "./children.ts";
import type { EventOf } from "./events.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import { breakOff, cancelBelow } from "./stop.ts";
import type { TaskPlace } from "./branches.ts";
import type { Transition } from "./transition.ts";
import { type ExecutionTree, type Frame, opensNoMore, passOver, type ReadyTask } from "./tree.ts";

/** A flowable task run begins to wait; its `onPause` begins with it. */
export function beginPause(
  t: Transition,
  { taskRun, place }: { readonly taskRun: TaskRun; readonly place: TaskPlace },
  dueAt: Instant | undefined,
): void {
  t.move(taskRun, "PAUSED");
  if (place.blocks.has("onPause")) enterChildren(t, taskRun, place);
  if (dueAt !== undefined) {
    t.ask({ type: "set_timer", timer: `task/${taskRun.ordinal}`, dueAt: Math.max(dueAt, t.now) });
  }
}

/** True for an execution that is paused itself, not by one of its tasks. */
export function isPausedAsAWhole({ isHeld, history }: Execution): boolean {
  return isHeld === true && currentState(history) === "PAUSED";
}

/** The first paused task run: the target of a resume that names none. */
export function pausedTaskRun(open: Iterable<TaskRun>): TaskRun | undefined {
  for (const taskRun of open) if (currentState(taskRun.history) === "PAUSED") return taskRun;
  return undefined;
}

/** All paused task runs, by ordinal. */
export function pausedTaskRuns(open: Iterable<TaskRun>): TaskRun[] {
  return [...open].filter(({ history }) => currentState(history) === "PAUSED")
    .sort((a, b) => a.ordinal - b.ordinal);
}

/** Somebody ends a pause, or the hold of the whole execution. */
export function resume(t: Transition, event: EventOf<"resumed">): void {
  const { execution } = t;
  const taskRun = event.taskRun === undefined ? pausedTaskRun(t.tree.open) : t.find(event.taskRun)?.taskRun;
  if (isPausedAsAWhole(execution) && event.taskRun === undefined) return endHold(t);
  const place = taskRun && t.tree.placeOf(taskRun);
  if (!taskRun || !place || currentState(taskRun.history) !== "PAUSED") return;
  const resumed: JsonObject = { on: toIso(t.now), to: "RUNNING" };
  if (event.by !== undefined) resumed.by = event.by;
  taskRun.outputs = { ...taskRun.outputs, ...(event.inputs ? { onResume: event.inputs } : {}), resumed };
  goOn(t, taskRun, place);
}

function goOn(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  wake(t);
  t.ask({ type: "cancel_timer", timer: `task/${taskRun.ordinal}` });
  t.move(taskRun, "RUNNING");
  const frame = t.tree.frameOf(taskRun);
  if (frame) t.touchedFrames.push(frame);
  else enterChildren(t, taskRun, place);
}

/** The time of a pause is over. */
export function expirePause(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const expiry = FLOWABLES.get(place.task.kind)?.expiry?.(taskRun.decision ?? {}) ?? "RESUME";
  if (expiry === "RESUME") return goOn(t, taskRun, place);
  if (expiry === "CANCEL" && !isEnded(t.execution.history)) return breakOff(t, "CANCELLED");
  wake(t);
  if (expiry === "FAIL") t.log("ERROR", "Nobody resumed the pause in time", taskRun);
  cancelBelow(t, taskRun, "Interrupted: the pause is over");
  t.tree.dropFrame(taskRun);
  const end = EXPIRED[expiry];
  if (expiry !== "CANCEL" && hasHandlers(place, expiry)) enterHandlers(t, taskRun, { place, end });
  else endTaskRun(t, taskRun, finalState(place.task, end));
}

function hasHandlers({ blocks }: TaskPlace, expiry: "FAIL" | "WARN"): boolean {
  const lists = expiry === "FAIL" ? ["errors", "finally"] : ["finally"];
  return lists.some((name) => blocks.get(name)?.some(({ task }) => !task.disabled));
}

/** Its `tasks` are passed over: `errors` follow a failure, then comes `finally`, and it ends in that state. */
function enterHandlers(
  t: Transition,
  taskRun: TaskRun,
  { place, end }: { readonly place: TaskPlace; readonly end: State },
): void {
  t.move(taskRun, "RUNNING");
  taskRun.decision = { ...taskRun.decision, end };
  enterChildren(t, taskRun, place);
  const frame = t.tree.frameOf(taskRun);
  if (frame) passOver(frame, t.plan, end);
}

/** After the end of the execution there is nothing left to cancel but the task run. */
const EXPIRED = { CANCEL: "CANCELLED", FAIL: "FAILED", WARN: "WARNING" } as const;

/** Pauses the execution as a whole: running attempts end, and nothing more starts. */
export function hold(t: Transition): void {
  t.moveExecution("PAUSED");
  t.execution.isHeld = true;
}

function endHold(t: Transition): void {
  t.execution.isHeld = undefined;
  t.moveExecution("RESTARTED");
  t.moveExecution("RUNNING");
  touchAllFrames(t);
  resumeAllChildren(t);
}

/** Tasks before which the execution stands at a breakpoint: `taskId`, or `taskId.value` within a loop. */
export function heldTasks({ execution, frames }: ExecutionTree): string[] {
  return [...frames].flatMap((frame) =>
    nextTasks(frame).flatMap(({ place, branch }) => {
      const value = frame.branches.markOf?.(branch)?.value;
      if (!isBreakpoint({ execution }, place, value)) return [];
      return value === undefined ? [place.task.id] : [`${place.task.id}.${value}`];
    })
  );
}

/** What would be opened now: what is ready, and the first task of the next branch. */
function nextTasks(frame: Frame): readonly ReadyTask[] {
  if (opensNoMore(frame) || frame.open >= frame.branches.limit) return frame.ready;
  const branch = pickBranch(frame);
  const place = branch === undefined ? undefined : frame.branches.next(branch);
  return branch === undefined || !place ? frame.ready : [...frame.ready, { branch, place }];
}

/** Goes on behind a breakpoint. The given ones replace the others; without them those that are left count. */
export function passBreakpoint(t: Transition, breakpoints: readonly string[] | undefined): void {
  const { execution } = t;
  const passed = new Set(heldTasks(t.tree).flatMap((name) => [name, name.split(".", 1)[0]]));
  execution.breakpoints = (breakpoints ?? execution.breakpoints ?? []).filter((point) => !passed.has(point));
  execution.isHeld = undefined;
  t.moveExecution("RUNNING");
  touchAllFrames(t);
  resumeAllChildren(t);
}
