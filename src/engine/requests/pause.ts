/** Pause tasks, paused executions, breakpoints. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import { currentState, isEnded, type State } from "../../model/executions/state.ts";
import { endTaskRun, isBreakpoint, pickBranch, touchAllFrames, wake } from "../advance.ts";
import { finalState } from "../attempts.ts";
import { enterChildren } from "../begin.ts";
import { resumeAllChildren } from "../children/children.ts";
import type { EventOf } from "../events.ts";
import { FLOWABLES } from "../flowable/registry.ts";
import { tryAgain } from "../endings/end_attempt.ts";
import { abortExecution, cancelDescendants } from "../endings/stop.ts";
import type { TaskPlace } from "../branches.ts";
import type { Transition } from "../transition.ts";
import {
  type ExecutionTree,
  type Frame,
  openableTasks,
  opensNoMore,
  type ReadyTask,
  skipTasks,
} from "../tree.ts";

/** Pauses a flowable task run and begins its `onPause`. */
export function beginPause(
  t: Transition,
  { taskRun, place }: { readonly taskRun: TaskRun; readonly place: TaskPlace },
  dueAt: Instant | undefined,
): void {
  t.move(taskRun, "PAUSED");
  if (place.blocks.has("onPause")) enterChildren(t, taskRun, place);
  if (dueAt !== undefined) {
    t.emit({ type: "set_timer", timer: `task/${taskRun.ordinal}`, dueAt: Math.max(dueAt, t.now) });
  }
}

/** True for an execution that is paused itself, not by one of its tasks. */
export function isPausedItself({ isHeld, history }: Execution): boolean {
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

/** Ends the pause of a task run or of the execution. */
export function resume(t: Transition, event: EventOf<"resumed">): void {
  if (event.taskRun === undefined) return endHold(t);
  const found = t.find(event.taskRun);
  if (!found || currentState(found.taskRun.history) !== "PAUSED") return;
  const { taskRun, place } = found;
  const resumed: JsonObject = { on: toIso(t.now), to: "RUNNING" };
  if (event.by !== undefined) resumed.by = event.by;
  taskRun.outputs = { ...taskRun.outputs, ...(event.inputs ? { onResume: event.inputs } : {}), resumed };
  continueTaskRun(t, taskRun, place);
}

/** The end of one pause. Beside another one the execution stays PAUSED, unless something begins. */
function wakeFromPause(t: Transition): void {
  if (t.tree.count("paused") <= 1) wake(t);
}

function continueTaskRun(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  wakeFromPause(t);
  t.emit({ type: "cancel_timer", timer: `task/${taskRun.ordinal}` });
  t.move(taskRun, "RUNNING");
  const frame = t.tree.frameOf(taskRun);
  if (frame) t.touchedFrames.push(frame);
  else enterChildren(t, taskRun, place);
}

/** Ends a pause whose time is over, as its `behavior` says. */
export function expirePause(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const expiry = FLOWABLES.get(place.task.kind)?.expiry?.(taskRun.decision ?? {}) ?? "RESUME";
  if (expiry === "RESUME") return continueTaskRun(t, taskRun, place);
  if (expiry === "CANCEL" && !isEnded(t.execution.history)) return abortExecution(t, "CANCELLED");
  wakeFromPause(t);
  if (expiry === "FAIL") t.log("ERROR", "The pause was not resumed within its pauseDuration", taskRun);
  cancelDescendants(t, taskRun, "Interrupted: the pause is over");
  t.tree.dropFrame(taskRun);
  const end = EXPIRED[expiry];
  if (expiry !== "CANCEL" && hasHandlers(place, expiry)) enterHandlers(t, taskRun, { place, end });
  else endTaskRun(t, taskRun, finalState(place.task, end));
}

function hasHandlers({ blocks }: TaskPlace, expiry: "FAIL" | "WARN"): boolean {
  const lists = expiry === "FAIL" ? ["errors", "finally"] : ["finally"];
  return lists.some((name) => blocks.get(name)?.some(({ task }) => !task.disabled));
}

/** Skips its `tasks`: `errors` follow a failure, then `finally`, and it ends in state `end`. */
function enterHandlers(
  t: Transition,
  taskRun: TaskRun,
  { place, end }: { readonly place: TaskPlace; readonly end: State },
): void {
  t.move(taskRun, "RUNNING");
  taskRun.decision = { ...taskRun.decision, end };
  enterChildren(t, taskRun, place);
  const frame = t.tree.frameOf(taskRun);
  if (frame) skipTasks(frame, t.plan, end);
}

/** The state of the task run itself; CANCEL ends the execution as well, unless that has ended. */
const EXPIRED = { CANCEL: "CANCELLED", FAIL: "FAILED", WARN: "WARNING" } as const;

/** Pauses the execution itself: running attempts end, and nothing more starts. */
export function hold(t: Transition): void {
  t.moveExecution("PAUSED");
  t.execution.isHeld = true;
}

function endHold(t: Transition): void {
  t.execution.isHeld = undefined;
  t.moveExecution("RESTARTED");
  t.moveExecution("RUNNING");
  startWhatWasHeld(t);
}

/** Lets tasks, further executions and retries whose time is over begin. */
function startWhatWasHeld(t: Transition): void {
  touchAllFrames(t);
  resumeAllChildren(t);
  for (const taskRun of [...t.tree.open]) {
    const isDue = currentState(taskRun.history) === "RETRYING" &&
      !t.execution.timers.has(`task/${taskRun.ordinal}`);
    const place = isDue ? t.tree.placeOf(taskRun) : undefined;
    if (place) tryAgain(t, taskRun, place);
  }
}

/** The tasks in front of which the execution stopped at a breakpoint: `taskId`, or `taskId.value` in a loop. */
export function heldTasks({ execution, frames }: ExecutionTree): string[] {
  return [...frames].flatMap((frame) =>
    nextTasks(frame).flatMap(({ place, branch }) => {
      const value = frame.branches.markOf?.(branch)?.value;
      if (!isBreakpoint({ execution }, place, value)) return [];
      return value === undefined ? [place.task.id] : [`${place.task.id}.${value}`];
    })
  );
}

/** The tasks to open next: the ready ones and the first of the next branch. */
function nextTasks(frame: Frame): readonly ReadyTask[] {
  const ready = openableTasks(frame);
  if (opensNoMore(frame) || frame.open >= frame.branches.limit) return ready;
  const branch = pickBranch(frame);
  const place = branch === undefined ? undefined : frame.branches.next(branch);
  return branch === undefined || !place ? ready : [...ready, { branch, place }];
}

/** Continues after a breakpoint; `breakpoints` replace the remaining ones. */
export function passBreakpoint(t: Transition, breakpoints: readonly string[] | undefined): void {
  const { execution } = t;
  const passed = new Set(heldTasks(t.tree).flatMap((name) => [name, name.split(".", 1)[0]]));
  execution.breakpoints = (breakpoints ?? execution.breakpoints ?? []).filter((point) => !passed.has(point));
  execution.isHeld = undefined;
  t.moveExecution("RUNNING");
  startWhatWasHeld(t);
}
