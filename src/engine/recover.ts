/** Continues an execution after a crash of the server, or of the worker that ran one of its attempts. */
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import { isScheduled } from "../model/executions/execution_waiting.ts";
import { MAX_LOST_WORKERS } from "../model/limits.ts";
import { currentState, isEnded, type State } from "../model/executions/state.ts";
import { endTaskRun, touchAllFrames } from "./advance.ts";
import { hasOpenAttempt } from "./attempts.ts";
import { hasChildren, resumeChildren } from "./children/children.ts";
import { beginTaskRun, startWork } from "./begin.ts";
import { applyOutcome, tryAgain } from "./endings/end_attempt.ts";
import { nextPass } from "./decide.ts";
import type { EventOf } from "./events.ts";
import type { TaskPlace } from "./branches.ts";
import { abortExecution, closeAll, isStoppingAll, stopOpen, stopsMore } from "./endings/stop.ts";
import { restartLimit } from "./endings/time_limit.ts";
import type { Transition } from "./transition.ts";
import { type ExecutionTree, openableTasks } from "./tree.ts";
import { resetRestartUnits } from "./requests/restart.ts";

const NONE_KEPT: readonly number[] = [];

/**
 * Interrupted attempts end RESUBMITTED and start again; what waits for a timer, a child or a person keeps waiting, as does
 * an attempt that a worker still runs.
 */
export function recover(t: Transition, { isGivenUp, kept }: EventOf<"recovered">): void {
  if (isGivenUp) {
    const { crashes } = t.execution;
    return giveUp(t, `The server stopped unexpectedly ${crashes} times while this execution was running`);
  }
  if (t.execution.isAborting) return stopOpen(t);
  if (t.state !== "KILLING") resetRestartUnits(t);
  if (isScheduled(t.execution)) return;
  if (t.state === "CREATED" || t.state === "RESTARTED") return t.emit({ type: "ask_slot" });
  resumeOpenTaskRuns(t, kept);
  stopOpen(t);
  touchAllFrames(t);
}

/** Starts an attempt again whose worker is gone; it fails if too many workers were lost in succession. */
export function repeatLostAttempt(t: Transition, event: EventOf<"attempt_lost">): void {
  const { taskRun: ordinal, isStopped } = event;
  const found = t.find(ordinal);
  if (!found || !hasOpenAttempt(found.taskRun)) return;
  const { taskRun, place } = found;
  if (isStopped) return resumeTaskRun(t, taskRun, place);
  const lost = 1 + lossesOf(taskRun);
  if (lost >= MAX_LOST_WORKERS) {
    const message = `The worker was lost ${lost} times while it ran this task`;
    return applyOutcome(t, ordinal, { state: "FAILED" }, message);
  }
  t.log("WARN", "The worker that ran this task is gone: the task is started again", taskRun);
  if (t.state !== "KILLING" && currentState(taskRun.history) !== "KILLING") t.loseAttempt(taskRun);
  resumeTaskRun(t, taskRun, place);
}

/**
 * Attempts before the open one whose worker was lost, since the last one that ended otherwise. Those that an end of the server,
 * a take-over or an orderly stop interrupted neither count nor end the succession.
 */
function lossesOf({ attempts }: TaskRun): number {
  const before = attempts.slice(0, -1);
  const lastEnd = before.findLastIndex(({ history }) => currentState(history) !== "RESUBMITTED");
  return before.slice(lastEnd + 1).filter(({ isWorkerLost }) => isWorkerLost).length;
}

/** True when a crash may have interrupted work; false when everything waits for a time, a person, other executions or the end of `kept` attempts on workers. */
export function hasWork(tree: ExecutionTree, kept = NONE_KEPT): boolean {
  const { execution } = tree;
  const state = currentState(execution.history);
  const leaves = [...tree.open].filter((taskRun) => tree.frameOf(taskRun) === undefined);
  const isElsewhere = (taskRun: TaskRun) => kept.includes(taskRun.ordinal) || isWaiting(execution, taskRun);
  if (!leaves.every(isElsewhere)) return true;
  if (stopsMore(tree)) return true;
  if (HELD_STATES.has(state) || isScheduled(execution)) return false;
  return leaves.length === 0 ||
    [...tree.frames].some((frame) => frame.expected || openableTasks(frame).length > 0);
}

function isWaiting({ timers, isHeld }: Execution, taskRun: TaskRun): boolean {
  const state = currentState(taskRun.history);
  return state === "PAUSED" || state === "RETRYING" && isHeld || timers.has(`task/${taskRun.ordinal}`) ||
    hasChildren(taskRun);
}

/** States in which nothing begins without a request or a slot. */
const HELD_STATES: ReadonlySet<State> = new Set(["PAUSED", "QUEUED", "BREAKPOINT"]);

/** Restarts open task runs that wait for nothing, except those of attempts that are `kept`. */
export function resumeOpenTaskRuns(t: Transition, kept = NONE_KEPT): void {
  for (const taskRun of [...t.tree.open]) {
    if (isEnded(taskRun.history)) continue; // An earlier one has ended it.
    const place = t.tree.placeOf(taskRun);
    if (!place) endTaskRun(t, taskRun, "KILLED");
    else if (kept.includes(taskRun.ordinal) && keepAttempt(t, taskRun, place)) continue;
    else resumeTaskRun(t, taskRun, place);
  }
}

/** Awaits the open attempt of a task run; false if it must not continue. */
function keepAttempt(t: Transition, taskRun: TaskRun, { task }: TaskPlace): boolean {
  if (t.state === "KILLING" || currentState(taskRun.history) !== "RUNNING" || !hasOpenAttempt(taskRun)) {
    return false;
  }
  const { ordinal, attempts } = taskRun;
  t.emit({ type: "run_attempt", taskRun: ordinal, task, attemptNumber: attempts.length, isResumed: true });
  return true;
}

function resumeTaskRun(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const state = currentState(taskRun.history);
  if (t.state !== "KILLING") restartLimit(t, taskRun, place);
  const isWaiting = t.tree.frameOf(taskRun) !== undefined || state === "PAUSED" ||
    t.execution.timers.has(`task/${taskRun.ordinal}`);
  if (isWaiting) return;
  if (state === "KILLING") {
    t.endAttempt(taskRun, "KILLED");
    endTaskRun(t, taskRun, "KILLED");
  } else if (t.state === "KILLING" || isStoppingAll(t) && !hasOpenAttempt(taskRun)) {
    return; // `stopOpen` ends it.
  } else if (taskRun.decision?.isWaiting === true) {
    nextPass(t, taskRun, place); // A copy of an execution has no timer.
  } else if (state === "RETRYING") {
    tryAgain(t, taskRun, place);
  } else if (hasChildren(taskRun)) {
    const outcome = resumeChildren(t, taskRun); // Existing children report their ends.
    if (outcome) applyOutcome(t, taskRun.ordinal, outcome);
  } else if (hasOpenAttempt(taskRun)) {
    t.endAttempt(taskRun, "RESUBMITTED");
    startWork(t, taskRun, place);
  } else if (state === "CREATED" || state === "RESTARTED") beginTaskRun(t, taskRun, place);
  else startWork(t, taskRun, place);
}

/** Ends the execution FAILED, with all that is open. */
export function giveUp(t: Transition, reason: string): void {
  t.log("ERROR", reason);
  if (isEnded(t.execution.history)) closeAll(t, "FAILED");
  else abortExecution(t, "FAILED");
}
