/** Continues an execution after a crash of the server. */
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import { currentState, isEnded, type State } from "../model/executions/state.ts";
import { endTaskRun, touchAllFrames } from "./advance.ts";
import { hasOpenAttempt } from "./attempts.ts";
import { hasChildren, resumeChildren } from "./children.ts";
import { beginTaskRun, startWork } from "./begin.ts";
import { applyOutcome, tryAgain } from "./end_attempt.ts";
import type { TaskPlace } from "./branches.ts";
import { abortExecution, closeAll } from "./stop.ts";
import { restartLimit } from "./time_limit.ts";
import type { Transition } from "./transition.ts";
import { descendantsOf, type ExecutionTree } from "./tree.ts";
import { RESTART_UNIT_KINDS } from "./restart.ts";

/** Interrupted attempts end RESUBMITTED and start again; what waits for a timer, a child or a person keeps waiting. */
export function recover(t: Transition, isGivenUp: boolean): void {
  if (isGivenUp) return giveUp(t);
  if (t.state === "CREATED" || t.state === "RESTARTED") t.moveExecution("RUNNING");
  if (t.state !== "KILLING") resetRestartUnits(t);
  resumeOpenTaskRuns(t);
  touchAllFrames(t);
}

/** True when a crash may have interrupted work; false when everything waits for a time, a person or other executions. */
export function hasWork(tree: ExecutionTree): boolean {
  const { execution } = tree;
  const leaves = [...tree.open].filter((taskRun) => tree.frameOf(taskRun) === undefined);
  if (!leaves.every((taskRun) => isWaiting(execution, taskRun))) return true;
  if (HELD_STATES.has(currentState(execution.history))) return false;
  return leaves.length === 0 || [...tree.frames].some(({ ready, expected }) => ready.length > 0 || expected);
}

function isWaiting({ timers }: Execution, taskRun: TaskRun): boolean {
  const state = currentState(taskRun.history);
  return state === "PAUSED" || timers.has(`task/${taskRun.ordinal}`) || hasChildren(taskRun);
}

/** States in which nothing begins without a request or a slot. */
const HELD_STATES: ReadonlySet<State> = new Set(["PAUSED", "QUEUED", "BREAKPOINT"]);

/** Restarts task runs that share a directory from their start: the directory is gone. */
function resetRestartUnits(t: Transition): void {
  const { execution, tree } = t;
  const begun = [...tree.open].filter((taskRun) =>
    taskRun.decision !== undefined && RESTART_UNIT_KINDS.has(tree.placeOf(taskRun)?.task.kind ?? "")
  );
  if (begun.length === 0) return;
  for (const taskRun of begun) {
    const below = descendantsOf(execution.taskRuns, taskRun);
    for (const each of [taskRun, ...below]) t.cancelTimers(each);
    t.remove(below);
    taskRun.decision = undefined;
    taskRun.outputs = undefined;
    t.touch(taskRun);
  }
  tree.reload();
}

/** Restarts open task runs that wait for nothing. */
export function resumeOpenTaskRuns(t: Transition): void {
  for (const taskRun of [...t.tree.open]) {
    if (isEnded(taskRun.history)) continue; // An earlier one has ended it.
    const place = t.tree.placeOf(taskRun);
    if (!place) endTaskRun(t, taskRun, "KILLED");
    else resumeTaskRun(t, taskRun, place);
  }
}

function resumeTaskRun(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const state = currentState(taskRun.history);
  if (t.state !== "KILLING") restartLimit(t, taskRun, place);
  const isWaiting = t.tree.frameOf(taskRun) !== undefined || state === "PAUSED" ||
    t.execution.timers.has(`task/${taskRun.ordinal}`);
  if (isWaiting) return;
  if (t.state === "KILLING" || state === "KILLING") {
    t.endAttempt(taskRun, "KILLED");
    endTaskRun(t, taskRun, "KILLED");
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

function giveUp(t: Transition): void {
  const { crashes } = t.execution;
  t.log("ERROR", `The server stopped unexpectedly ${crashes} times while this execution was running`);
  if (isEnded(t.execution.history)) closeAll(t, "FAILED");
  else abortExecution(t, "FAILED");
}
