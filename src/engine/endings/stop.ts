/** Ends of an execution before its tasks are done: kill, Exit, SLA violations. */
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import { canMove, currentState, isEnded, type State } from "../../model/executions/state.ts";
import { hasOpenAttempt, successorId } from "../attempts.ts";
import { hasChildren, killChildren } from "../children/children.ts";
import type { TimerName } from "../events.ts";
import type { Transition } from "../transition.ts";
import { enterPhase, type ExecutionTree } from "../tree.ts";

/** Lines about task runs that one transition interrupts. */
const MAX_LOGGED = 100;

/** Task runs that one transition stops; the rest follows with `stop_continued`: a commit may not be able to write all at once. */
const STOPPED_AT_ONCE = 16;

/** True while the execution only waits for open attempts before it ends. */
export function isStoppingAll({ execution, state }: Transition): boolean {
  return state === "KILLING" || execution.exitState !== undefined && !isEnded(execution.history);
}

/**
 * Interrupts running attempts, which report their end; everything else that is open ends KILLED. The kill of a RETRIED
 * execution goes to its successor.
 */
export function kill(t: Transition, { sparesChildren }: Sparing): void {
  const { state, execution } = t;
  if (state === "RETRIED") return t.emit({ type: "kill_child", executionId: successorId(t.execution) });
  if (state === "KILLING") return;
  execution.isHeld = undefined;
  if (state === "QUEUED") return abortExecution(t, "KILLED");
  if (execution.isAborting) execution.exitState = "KILLED";
  t.moveExecution("KILLING");
  t.emit({ type: "cancel_timer", timer: "start" });
  stopOpen(t, { sparesChildren });
}

/** Ends the execution for an Exit task; KILLED also stops what runs, as a kill does. */
export function exit(t: Transition, state: State): void {
  if (t.execution.isAborting) return;
  t.execution.exitState = state;
  if (t.execution.isHeld) t.moveExecution("RUNNING");
  t.execution.isHeld = undefined;
  stopOpen(t);
}

/** Whether child executions go on after a kill. A crash before all task runs have stopped forgets it. */
interface Sparing {
  readonly sparesChildren?: boolean;
}

/** Stops some of what is open while the execution ends early; the rest follows. */
export function stopOpen(t: Transition, { sparesChildren = false }: Sparing = {}): void {
  if (!isStoppingAll(t)) return;
  if (t.execution.isAborting) return abortSome(t);
  const end = earlyEndOf(t.execution) as State;
  let stopped = 0;
  for (const taskRun of [...t.tree.open]) {
    if (!awaitsStop(t.tree, taskRun, end)) continue;
    if (stopped++ === STOPPED_AT_ONCE) return t.emit({ type: "continue_stop", sparesChildren });
    if (end === "KILLED") killTaskRun(t, taskRun, sparesChildren);
    else close(t, taskRun, end);
  }
}

/** True when a step of an early end has not been taken: a crash came before it. */
export function stopsMore(tree: ExecutionTree): boolean {
  const { execution } = tree;
  if (execution.isAborting) return true;
  const end = earlyEndOf(execution);
  return end !== undefined && [...tree.open].some((taskRun) => awaitsStop(tree, taskRun, end));
}

/** False for what ends with its children, or with its attempt. */
function awaitsStop(tree: ExecutionTree, taskRun: TaskRun, end: State): boolean {
  if (tree.frameOf(taskRun)) return false;
  return end === "KILLED" ? currentState(taskRun.history) !== "KILLING" : !hasOpenAttempt(taskRun);
}

/** The state in which an execution will end that ends early. */
function earlyEndOf({ history, exitState, isAborting }: Execution): State | undefined {
  return currentState(history) === "KILLING" && !isAborting ? "KILLED" : exitState;
}

function killTaskRun(t: Transition, taskRun: TaskRun, sparesChild: boolean): void {
  t.cancelTimers(taskRun);
  if (!sparesChild) killChildren(t, taskRun);
  const isRunning = currentState(taskRun.history) === "RUNNING";
  if (!isRunning || !hasOpenAttempt(taskRun) || hasChildren(taskRun)) return close(t, taskRun, "KILLED");
  t.move(taskRun, "KILLING");
  t.emit({ type: "interrupt_attempt", taskRun: taskRun.ordinal });
}

/** Ends every open task run with its attempt and its child executions. */
export function closeAll(t: Transition, state: State): void {
  for (const taskRun of [...t.tree.open].reverse()) closeNow(t, taskRun, state);
}

function closeNow(t: Transition, taskRun: TaskRun, state: State): void {
  if (hasOpenAttempt(taskRun)) t.emit({ type: "interrupt_attempt", taskRun: taskRun.ordinal });
  killChildren(t, taskRun);
  close(t, taskRun, state);
}

/** Ends every open descendant of a task run as CANCELLED, the innermost first; returns them. */
export function cancelDescendants(t: Transition, ancestor: TaskRun, reason: string): readonly TaskRun[] {
  const below = openDescendants(t, ancestor).reverse();
  const left = below.length - MAX_LOGGED;
  for (const [index, taskRun] of below.entries()) {
    if (index < MAX_LOGGED) t.log("WARN", reason, taskRun);
    else if (index === MAX_LOGGED) {
      t.log("WARN", `${reason} (and ${left - 1} more that are not listed)`, taskRun);
    }
    closeNow(t, taskRun, "CANCELLED");
  }
  return below;
}

/** Open descendants of a task run, parents first. */
function openDescendants({ tree }: Transition, ancestor: TaskRun): TaskRun[] {
  const ordinals = new Set([ancestor.ordinal]);
  return [...tree.open].sort((a, b) => a.ordinal - b.ordinal).filter(({ parent, ordinal }) => {
    if (parent === undefined || !ordinals.has(parent)) return false;
    ordinals.add(ordinal);
    return true;
  });
}

/** Ends the execution in that state and all that is open before, without waiting for an attempt; some now, the rest follows. */
export function abortExecution(t: Transition, state: State): void {
  t.execution.exitState = state;
  t.execution.isAborting = true;
  abortSome(t);
}

function abortSome(t: Transition): void {
  endSome(t, t.execution.exitState as State, closeNow);
}

/** Ends some of what is open, the innermost first, or after the last of it the execution. */
function endSome(t: Transition, state: State, end: typeof close): void {
  const open = [...t.tree.open].reverse();
  for (const taskRun of open.slice(0, STOPPED_AT_ONCE)) end(t, taskRun, state);
  if (open.length > STOPPED_AT_ONCE) t.emit({ type: "continue_stop" });
  else endExecutionIn(t, state);
}

/** Once nothing is active: ends what is left open, and then the execution. */
export function endExecutionEarly(t: Transition): void {
  const continues = t.execution.isAborting || t.commands.some(({ type }) => type === "continue_stop");
  if (continues || t.tree.count("active") > 0) return;
  endSome(t, earlyEndOf(t.execution) as State, close);
}

function close(t: Transition, taskRun: TaskRun, state: State): void {
  t.endAttempt(taskRun, state);
  t.tree.dropFrame(taskRun);
  t.cancelTimers(taskRun);
  t.move(taskRun, canMove("task_run", currentState(taskRun.history), state) ? state : "KILLED");
}

/** Moves the execution to its end and begins `afterExecution`. */
export function endExecutionIn(t: Transition, state: State): void {
  const { execution, tree } = t;
  execution.exitState = undefined;
  execution.isAborting = undefined;
  execution.isHeld = undefined;
  if (state === "KILLED" && t.state !== "QUEUED") t.moveExecution("KILLING");
  t.moveExecution(state);
  cancelTimers(t);
  t.emit({ type: "announce_end" });
  tree.expect(tree.root, undefined);
  enterPhase(tree.root, t.plan, "afterExecution");
  t.touchedFrames.push(tree.root);
}

/** Cancels all timers, including those that this transition sets. */
function cancelTimers({ execution, commands }: Transition): void {
  const { timers } = execution;
  if (timers.size === 0 && !commands.some(({ type }) => type === "set_timer")) return;
  const names = new Set(timers.keys() as Iterable<TimerName>);
  for (const command of commands) if (command.type === "set_timer") names.add(command.timer);
  for (const timer of names) commands.push({ type: "cancel_timer", timer });
}
