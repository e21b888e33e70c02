/** Restarts, changed ends of task runs, and what must restart as a unit. */
import type { JsonObject } from "../../base/json.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import { taskRunOf } from "../../model/executions/execution.ts";
import { mergeLabels } from "../../model/flows/label.ts";
import { currentState, isEnded, type State } from "../../model/executions/state.ts";
import { hasOpenAttempt } from "../attempts.ts";
import { killNow } from "../children/children.ts";
import { reopenedDecision } from "../decide.ts";
import { FLOWABLES } from "../flowable/registry.ts";
import type { FlowPlan } from "../plan.ts";
import { cancelDescendants } from "../endings/stop.ts";
import type { Transition } from "../transition.ts";
import { ancestorsOf, descendantsOf, isHandlerBlock, phaseOf } from "../tree.ts";

const RESTARTED_LABEL = { key: "system.restarted", value: "true" };
const FAILED_STATES: ReadonlySet<State> = new Set(["FAILED", "KILLED", "CANCELLED", "RETRIED", "PAUSED"]);

/** True when an execution has task runs to restart: failed or paused ones, also of `errors` and `finally`. */
export function canRestart(plan: FlowPlan, execution: Execution): boolean {
  return failedTaskRuns(plan, execution).length > 0 ||
    [...handlersOf(plan, execution, new Set())].some(({ history }) =>
      FAILED_STATES.has(currentState(history))
    );
}

/** True for an execution that has ended, or is paused with no open attempt. */
export function isAtRest({ history, taskRuns }: Execution): boolean {
  return isEnded(history) || currentState(history) === "PAUSED" && !taskRuns.some(hasOpenAttempt);
}

/** Restarts failed and paused task runs under their ids; successful ones stay. */
export function restart(t: Transition): void {
  const { execution } = t;
  const targets = failedTaskRuns(t.plan, execution);
  const ancestors = new Set(targets.flatMap((target) => ancestorsOf(execution, target)));
  discard(t, handlersOf(t.plan, execution, ancestors));
  discard(t, descendantsOf(execution.taskRuns, targets));
  for (const target of targets) {
    t.cancelTimers(target);
    target.decision = keptDecision(t, target);
    target.outputs = undefined;
    t.move(target, "RESTARTED");
  }
  reopenExecution(t, ancestors);
  execution.labels = mergeLabels(execution.labels, [RESTARTED_LABEL]);
}

/** The decision of a restarted task run: the child executions that run again with it. */
function keptDecision(
  { plan, execution }: Transition,
  { taskId, decision }: TaskRun,
): JsonObject | undefined {
  const task = plan.places.get(taskId)?.task;
  const restarts = task && decision && FLOWABLES.get(task.kind)?.restarts?.(task, decision, execution.id);
  return restarts === undefined ? undefined : { restarts };
}

/** Sets another end of a task run; what follows it runs, or runs again. */
export function setTaskState(t: Transition, ordinal: number, state: State): void {
  const taskRun = taskRunOf(t.execution, ordinal);
  if (!taskRun || currentState(taskRun.history) === state) return;
  const ancestors = new Set(ancestorsOf(t.execution, taskRun));
  discard(t, handlersOf(t.plan, t.execution, ancestors));
  t.cancelTimers(taskRun);
  cancelDescendants(t, taskRun, `Interrupted: the task "${taskRun.taskId}" was given the state ${state}`);
  t.changeAttempt(taskRun, state);
  t.move(taskRun, state);
  reopenExecution(t, ancestors);
}

/** Removes task runs and stops their open work, as tasks of `afterExecution` may have. */
function discard(t: Transition, taskRuns: ReadonlySet<TaskRun>): void {
  for (const taskRun of taskRuns) {
    const { ordinal } = taskRun;
    t.cancelTimers(taskRun);
    if (hasOpenAttempt(taskRun)) t.emit({ type: "interrupt_attempt", taskRun: ordinal });
    if (!isEnded(taskRun.history)) killNow(t, taskRun);
  }
  t.remove(taskRuns);
}

function reopenExecution(t: Transition, ancestors: ReadonlySet<TaskRun>): void {
  const { execution } = t;
  for (const ancestor of ancestors) {
    if (currentState(ancestor.history) === "RETRIED") t.move(ancestor, "RESTARTED");
    t.move(ancestor, "RUNNING");
    t.cancelTimers(ancestor);
    ancestor.decision = reopenedDecision(t.plan, ancestor);
  }
  execution.outputs = undefined;
  execution.exitState = undefined;
  execution.isHeld = undefined;
  execution.attemptNumber++;
  t.moveExecution("RESTARTED");
  t.tree.reload();
  t.emit({ type: "ask_slot" });
}

/** The innermost failed or paused task runs, also where the failure was allowed. A part of a restart unit is replaced by the unit. */
export function failedTaskRuns(plan: FlowPlan, execution: Execution): TaskRun[] {
  const failed = new Set<TaskRun>();
  for (const taskRun of execution.taskRuns) {
    if (!FAILED_STATES.has(currentState(taskRun.history)) || !isInTasks(plan, execution, taskRun)) continue;
    const unit = restartUnitOf(plan, execution, taskRun);
    if (unit === taskRun || isEnded(unit.history)) failed.add(unit);
  }
  const around = new Set([...failed].flatMap((taskRun) => ancestorsOf(execution, taskRun)));
  return [...failed].filter((taskRun) => !around.has(taskRun));
}

/** True if a task run that has ended is in `tasks`, and so is each one around it up to an open one. */
function isInTasks({ places }: FlowPlan, execution: Execution, taskRun: TaskRun): boolean {
  const around = ancestorsOf(execution, taskRun);
  const open = around.findIndex(({ history }) => !isEnded(history));
  return [taskRun, ...around.slice(0, open < 0 ? around.length : open)].every(({ taskId }) => {
    const place = places.get(taskId);
    return place !== undefined && phaseOf(place) === "tasks";
  });
}

/** Task runs of `errors`, `finally` and `afterExecution` of the execution and of these ancestors, with their descendants. */
export function handlersOf(
  plan: FlowPlan,
  execution: Execution,
  ancestors: ReadonlySet<TaskRun>,
): Set<TaskRun> {
  const owners = new Set([undefined, ...[...ancestors].map(({ ordinal }) => ordinal)]);
  const handlers = new Set<TaskRun>();
  const ordinals = new Set<number>();
  for (const taskRun of execution.taskRuns) {
    const place = plan.places.get(taskRun.taskId);
    const isHandler = place !== undefined && isHandlerBlock(place.block) && owners.has(taskRun.parent);
    if (!isHandler && !(taskRun.parent !== undefined && ordinals.has(taskRun.parent))) continue;
    handlers.add(taskRun);
    ordinals.add(taskRun.ordinal);
  }
  return handlers;
}

/** Tasks whose children share a directory, which a restart does not find again. */
export const RESTART_UNIT_KINDS: ReadonlySet<string> = new Set(["core.flow.WorkingDirectory"]);

/**
 * The restart unit of a task run: the outermost ancestor that restarts only with all its children, else the task run
 * itself. A WorkingDirectory is one for its tasks, a Pause for its `onPause`.
 */
export function restartUnitOf(plan: FlowPlan, execution: Execution, taskRun: TaskRun): TaskRun {
  let unit = taskRun;
  for (let at = taskRun; at.parent !== undefined;) {
    const parent = taskRunOf(execution, at.parent);
    if (!parent) return unit;
    const kind = plan.places.get(parent.taskId)?.task.kind ?? "";
    if (RESTART_UNIT_KINDS.has(kind) || plan.places.get(at.taskId)?.block === "onPause") unit = parent;
    at = parent;
  }
  return unit;
}

/** Begins open task runs whose children share a directory anew: after a crash, and in a copy, the directory is not there. */
export function resetRestartUnits(t: Transition): void {
  const { execution, tree } = t;
  const begun = [...tree.open].filter((taskRun) =>
    taskRun.decision !== undefined && RESTART_UNIT_KINDS.has(tree.placeOf(taskRun)?.task.kind ?? "")
  );
  if (begun.length === 0) return;
  for (const taskRun of begun) {
    const below = descendantsOf(execution.taskRuns, [taskRun]);
    for (const each of [taskRun, ...below]) t.cancelTimers(each);
    t.remove(below);
    taskRun.decision = undefined;
    taskRun.outputs = undefined;
    t.touch(taskRun);
  }
  tree.reload();
}
