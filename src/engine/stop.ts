/** Ways in which an execution ends before its tasks are done: kill, Exit, and a broken promise. */
import type { TaskRun } from "../model/execution.ts";
import { canMove, currentState, isEnded, type State } from "../model/state.ts";
import { hasOpenAttempt } from "./attempts.ts";
import type { Transition } from "./transition.ts";
import { enterPhase } from "./tree.ts";

/** True while the execution waits only for what is under way, and then ends. */
export function isStoppingAll({ execution, state }: Transition): boolean {
  return state === "KILLING" || execution.exitState !== undefined && !isEnded(execution.history);
}

/** Running attempts are interrupted and report; everything else that is open ends KILLED at once. */
export function kill(t: Transition): void {
  const { state } = t;
  if (state === "KILLING" || isEnded(t.execution.history)) return;
  t.execution.isHeld = undefined;
  if (state === "QUEUED") return endExecutionIn(t, "KILLED");
  t.moveExecution("KILLING");
  t.ask({ type: "cancel_timer", timer: "start" });
  for (const taskRun of [...t.tree.open]) killTaskRun(t, taskRun);
}

function killTaskRun(t: Transition, taskRun: TaskRun): void {
  const { ordinal } = taskRun;
  t.ask({ type: "cancel_timer", timer: `task/${ordinal}` });
  if (t.tree.frameOf(taskRun)) return; // It follows its children.
  const child = taskRun.decision?.executionId;
  if (typeof child === "string") t.ask({ type: "kill_child", executionId: child });
  if (hasOpenAttempt(taskRun) && child === undefined && currentState(taskRun.history) === "RUNNING") {
    t.move(taskRun, "KILLING");
    t.ask({ type: "interrupt_attempt", taskRun: ordinal });
  } else close(t, taskRun, "KILLED");
}

/** A task asked for the end of the execution; for KILLED, what is running is interrupted. */
export function exit(t: Transition, state: State): void {
  t.execution.exitState = state;
  for (const taskRun of [...t.tree.open]) {
    if (t.tree.frameOf(taskRun)) continue;
    const isRunning = hasOpenAttempt(taskRun);
    if (isRunning && state === "KILLED") t.ask({ type: "interrupt_attempt", taskRun: taskRun.ordinal });
    if (!isRunning) close(t, taskRun, state);
  }
}

/** A promise was broken: ends everything now, in that state. */
export function breakOff(t: Transition, state: State): void {
  for (const taskRun of [...t.tree.open]) {
    if (hasOpenAttempt(taskRun)) t.ask({ type: "interrupt_attempt", taskRun: taskRun.ordinal });
    const child = taskRun.decision?.executionId;
    if (typeof child === "string") t.ask({ type: "kill_child", executionId: child });
    close(t, taskRun, state);
  }
  t.execution.isHeld = undefined;
  endExecutionIn(t, state);
}

/** Once nothing works any more: ends what is left open, the innermost first, and the execution. */
export function endExecutionEarly(t: Transition): void {
  if (t.tree.count("active") > 0) return;
  const state = t.state === "KILLING" ? "KILLED" : t.execution.exitState as State;
  for (const taskRun of [...t.tree.open].reverse()) close(t, taskRun, state);
  endExecutionIn(t, state);
}

function close(t: Transition, taskRun: TaskRun, state: State): void {
  t.endAttempt(taskRun, state);
  t.tree.dropFrame(taskRun);
  t.ask({ type: "cancel_timer", timer: `task/${taskRun.ordinal}` });
  t.move(taskRun, canMove("task_run", currentState(taskRun.history), state) ? state : "KILLED");
}

/** Moves the execution to its end; then come the tasks of `afterExecution`. */
export function endExecutionIn(t: Transition, state: State): void {
  const { execution, tree } = t;
  execution.exitState = undefined;
  if (t.state === "PAUSED" && state === "KILLED") t.moveExecution("KILLING");
  t.moveExecution(state);
  for (const timer of execution.timers.keys()) t.ask({ type: "cancel_timer", timer: timer as "start" });
  t.ask({ type: "announce_end" });
  tree.root.isAsking = false;
  enterPhase(tree.root, t.plan, "afterExecution");
  t.touchedFrames.push(tree.root);
}
