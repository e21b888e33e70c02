/** Ways in which an execution ends before its tasks are done: kill, Exit, and a broken promise. */
import type { TaskRun } from "../model/executions/execution.ts";
import { canMove, currentState, isEnded, type State } from "../model/executions/state.ts";
import { hasOpenAttempt, successorId } from "./attempts.ts";
import { hasChildren, killChildren } from "./children.ts";
import type { TimerName } from "./events.ts";
import type { Transition } from "./transition.ts";
import { enterPhase } from "./tree.ts";

/** True while the execution waits only for what is under way, and then ends. */
export function isStoppingAll({ execution, state }: Transition): boolean {
  return state === "KILLING" || execution.exitState !== undefined && !isEnded(execution.history);
}

/**
 * Running attempts are interrupted and report; everything else that is open ends KILLED at once. Of an execution that is
 * tried again the one in its place is meant.
 */
export function kill(t: Transition, { sparesChildren = false }: { readonly sparesChildren?: boolean }): void {
  const { state } = t;
  if (state === "RETRIED") return t.ask({ type: "kill_child", executionId: successorId(t.execution) });
  if (state === "KILLING") return;
  t.execution.isHeld = undefined;
  if (state === "QUEUED") return breakOff(t, "KILLED");
  t.moveExecution("KILLING");
  t.ask({ type: "cancel_timer", timer: "start" });
  for (const taskRun of [...t.tree.open]) killTaskRun(t, taskRun, sparesChildren);
}

function killTaskRun(t: Transition, taskRun: TaskRun, sparesChild: boolean): void {
  const { ordinal } = taskRun;
  t.cancelTimers(taskRun);
  if (t.tree.frameOf(taskRun)) return; // It follows its children.
  if (!sparesChild) killChildren(t, taskRun);
  if (hasOpenAttempt(taskRun) && !hasChildren(taskRun) && currentState(taskRun.history) === "RUNNING") {
    t.move(taskRun, "KILLING");
    t.ask({ type: "interrupt_attempt", taskRun: ordinal });
  } else close(t, taskRun, "KILLED");
}

/** A task asked for the end of the execution; for KILLED, what is running is interrupted. */
export function exit(t: Transition, state: State): void {
  t.execution.exitState = state;
  if (t.execution.isHeld) t.moveExecution("RUNNING");
  t.execution.isHeld = undefined;
  for (const taskRun of [...t.tree.open]) {
    if (t.tree.frameOf(taskRun)) continue;
    const isRunning = hasOpenAttempt(taskRun);
    if (isRunning && state === "KILLED") t.ask({ type: "interrupt_attempt", taskRun: taskRun.ordinal });
    if (!isRunning) close(t, taskRun, state);
  }
}

/** Ends every task run that is open, and what is under way for it. */
export function closeAll(t: Transition, state: State): void {
  for (const taskRun of [...t.tree.open].reverse()) {
    if (hasOpenAttempt(taskRun)) t.ask({ type: "interrupt_attempt", taskRun: taskRun.ordinal });
    killChildren(t, taskRun);
    close(t, taskRun, state);
  }
}

/** Ends everything open below a task run CANCELLED, the innermost first, and what is under way for it; gives what it has ended. */
export function cancelBelow(t: Transition, ancestor: TaskRun, reason: string): readonly TaskRun[] {
  const below = openBelow(t, ancestor).reverse();
  for (const taskRun of below) {
    t.log("WARN", reason, taskRun);
    if (hasOpenAttempt(taskRun)) t.ask({ type: "interrupt_attempt", taskRun: taskRun.ordinal });
    killChildren(t, taskRun);
    close(t, taskRun, "CANCELLED");
  }
  return below;
}

/** Open task runs below one, each behind the one around it. */
function openBelow({ tree }: Transition, ancestor: TaskRun): TaskRun[] {
  const ordinals = new Set([ancestor.ordinal]);
  return [...tree.open].sort((a, b) => a.ordinal - b.ordinal).filter(({ parent, ordinal }) => {
    if (parent === undefined || !ordinals.has(parent)) return false;
    ordinals.add(ordinal);
    return true;
  });
}

/** A promise was broken: ends everything now, in that state. */
export function breakOff(t: Transition, state: State): void {
  closeAll(t, state);
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
  t.cancelTimers(taskRun);
  t.move(taskRun, canMove("task_run", currentState(taskRun.history), state) ? state : "KILLED");
}

/** Moves the execution to its end; then come the tasks of `afterExecution`. */
export function endExecutionIn(t: Transition, state: State): void {
  const { execution, tree } = t;
  execution.exitState = undefined;
  if (state === "KILLED" && t.state !== "QUEUED") t.moveExecution("KILLING");
  t.moveExecution(state);
  cancelTimers(t);
  t.ask({ type: "announce_end" });
  tree.expect(tree.root, undefined);
  enterPhase(tree.root, t.plan, "afterExecution");
  t.touchedFrames.push(tree.root);
}

/** Those that are set, and those that this transition sets. */
function cancelTimers({ execution, commands }: Transition): void {
  const names = new Set(execution.timers.keys() as Iterable<TimerName>);
  for (const command of commands) if (command.type === "set_timer") names.add(command.timer);
  for (const timer of names) commands.push({ type: "cancel_timer", timer });
}
