/** What people do to an execution that has ended or waits: restart, other ends for it and its task runs. */
import type { Execution, TaskRun } from "../model/execution.ts";
import { taskRunOf } from "../model/execution.ts";
import { mergeLabels } from "../model/label.ts";
import { currentState, isEnded, type State } from "../model/state.ts";
import { descendantsOf } from "./decide.ts";
import type { FlowPlan } from "./plan.ts";
import type { Transition } from "./transition.ts";
import { phaseOf } from "./tree.ts";

const RESTARTED_LABEL = { key: "system.restarted", value: "true" };
const FAILED_STATES: ReadonlySet<State> = new Set(["FAILED", "KILLED", "CANCELLED", "RETRIED", "PAUSED"]);
/** It runs as a whole: its tasks share a directory that is gone. */
const WHOLE_KINDS: ReadonlySet<string> = new Set(["core.flow.WorkingDirectory"]);

/** True when an execution has something to restart from. */
export function canRestart({ taskRuns }: Execution): boolean {
  return taskRuns.some(({ history }) => FAILED_STATES.has(currentState(history)));
}

/** Failed and paused task runs run again under their ids; what ended well is left as it is. */
export function restart(t: Transition): void {
  const { execution } = t;
  if (!isEnded(execution.history) && t.state !== "PAUSED") return;
  const targets = failedTaskRuns(t.plan, execution);
  const ancestors = ancestorsOf(execution, targets);
  t.remove(handlersOf(t.plan, execution, ancestors));
  for (const target of targets) {
    t.remove(descendantsOf(execution.taskRuns, target));
    target.decision = undefined;
    target.outputs = undefined;
    t.move(target, "RESTARTED");
  }
  goOnAfter(t, ancestors);
  execution.labels = mergeLabels(execution.labels, [RESTARTED_LABEL]);
}

/** An ended execution gets another end. */
export function setState(t: Transition, state: State): void {
  if (isEnded(t.execution.history)) t.moveExecution(state);
}

/** A task run gets another end; what follows it runs, or runs again. */
export function setTaskState(t: Transition, ordinal: number, state: State): void {
  const taskRun = taskRunOf(t.execution, ordinal);
  if (!taskRun || !isEnded(t.execution.history) && t.state !== "PAUSED") return;
  const ancestors = ancestorsOf(t.execution, [taskRun]);
  t.remove(handlersOf(t.plan, t.execution, ancestors));
  t.move(taskRun, state);
  goOnAfter(t, ancestors);
}

function goOnAfter(t: Transition, ancestors: ReadonlySet<TaskRun>): void {
  const { execution } = t;
  for (const ancestor of ancestors) t.move(ancestor, "RUNNING");
  execution.outputs = undefined;
  execution.exitState = undefined;
  execution.isHeld = undefined;
  execution.attemptNumber++;
  t.moveExecution("RESTARTED");
  t.tree.reload();
  t.ask({ type: "continue", frame: -1 });
}

/** The innermost task runs that failed or are paused, unless a task around them ended well nevertheless. */
function failedTaskRuns(plan: FlowPlan, execution: Execution): TaskRun[] {
  const failed = new Map<number, TaskRun>();
  for (const taskRun of execution.taskRuns) {
    const place = plan.places.get(taskRun.taskId);
    if (!place || phaseOf(place) !== "tasks" || !FAILED_STATES.has(currentState(taskRun.history))) continue;
    const parent = taskRun.parent === undefined ? undefined : taskRunOf(execution, taskRun.parent);
    const parentPlace = parent && plan.places.get(parent.taskId);
    if (parentPlace && WHOLE_KINDS.has(parentPlace.task.kind)) continue;
    const isReachable = !parent || failed.has(parent.ordinal) || !isEnded(parent.history);
    if (isReachable) failed.set(taskRun.ordinal, taskRun);
  }
  const parents = new Set([...failed.values()].map(({ parent }) => parent));
  return [...failed.values()].filter(({ ordinal }) => !parents.has(ordinal));
}

/** The task runs around some others. */
export function ancestorsOf(execution: Execution, taskRuns: readonly TaskRun[]): Set<TaskRun> {
  const ancestors = new Set<TaskRun>();
  for (const taskRun of taskRuns) {
    for (let { parent } = taskRun; parent !== undefined;) {
      const ancestor = taskRunOf(execution, parent);
      if (!ancestor || ancestors.has(ancestor)) break;
      ancestors.add(ancestor);
      parent = ancestor.parent;
    }
  }
  return ancestors;
}

/** Task runs of `errors`, `finally` and `afterExecution` of the execution and of these ancestors, with all below them. */
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
    const isHandler = place !== undefined && phaseOf(place) !== "tasks" && owners.has(taskRun.parent);
    if (!isHandler && !(taskRun.parent !== undefined && ordinals.has(taskRun.parent))) continue;
    handlers.add(taskRun);
    ordinals.add(taskRun.ordinal);
  }
  return handlers;
}
