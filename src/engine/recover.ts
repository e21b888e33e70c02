/** After a crash of the server: what was under way goes on. */
import type { TaskRun } from "../model/execution.ts";
import { currentState, isEnded } from "../model/state.ts";
import { endTaskRun, touchAllFrames } from "./advance.ts";
import { hasOpenAttempt } from "./attempts.ts";
import { beginTaskRun, startWork } from "./begin.ts";
import type { TaskPlace } from "./task_place.ts";
import { breakOff } from "./stop.ts";
import type { Transition } from "./transition.ts";

/** An interrupted attempt ends RESUBMITTED and a new one follows; what waits has its timer, its child, or a person. */
export function recover(t: Transition, isGivenUp: boolean): void {
  if (isGivenUp && !isEnded(t.execution.history)) return giveUp(t);
  if (t.state === "CREATED" || t.state === "RESTARTED") t.moveExecution("RUNNING");
  goOnWithOpen(t);
  touchAllFrames(t);
}

/** Begins anew what is open and has no one to wait for. */
export function goOnWithOpen(t: Transition): void {
  for (const taskRun of [...t.tree.open]) {
    const place = t.tree.placeOf(taskRun);
    if (!place) endTaskRun(t, taskRun, "KILLED");
    else goOnWith(t, taskRun, place);
  }
}

function goOnWith(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const state = currentState(taskRun.history);
  const isWaiting = t.tree.frameOf(taskRun) !== undefined || state === "PAUSED" || state === "RETRYING" ||
    t.execution.timers.has(`task/${taskRun.ordinal}`);
  if (isWaiting) return;
  if (t.state === "KILLING" || state === "KILLING") {
    t.endAttempt(taskRun, "KILLED");
    endTaskRun(t, taskRun, "KILLED");
  } else if (typeof taskRun.decision?.executionId === "string") {
    return; // Its execution tells when it has ended.
  } else if (hasOpenAttempt(taskRun)) {
    t.endAttempt(taskRun, "RESUBMITTED");
    startWork(t, taskRun, place);
  } else if (state === "CREATED") beginTaskRun(t, taskRun, place);
  else startWork(t, taskRun, place);
}

function giveUp(t: Transition): void {
  const { crashes } = t.execution;
  t.log("ERROR", `The server stopped unexpectedly ${crashes} times while this execution was running`);
  breakOff(t, "FAILED");
}
