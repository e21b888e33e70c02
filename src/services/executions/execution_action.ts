/** What people do to an execution by an event: whether it can be done, the events, and how one tells that it was done. */
import type { JsonObject } from "../../base/json.ts";
import type { Event } from "../../engine/events.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { canRestart, isAtRest } from "../../engine/restart.ts";
import { restartUnitOf } from "../../engine/restart_unit.ts";
import { DomainError } from "../../model/errors.ts";
import { type Execution, type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import {
  hasLabel,
  isSystemLabel,
  type Label,
  labelsProblem,
  mergeLabels,
  REPLAYED_LABEL,
  systemLabelMessage,
} from "../../model/flows/label.ts";
import { canMove, currentState, isEnded, type State } from "../../model/executions/state.ts";

/** One action on one execution. The same object serves many executions. */
export interface ExecutionAction {
  /** What is done, as in "Cannot restart execution". */
  readonly verb: string;
  /** Why it cannot be done now; `undefined` when it can. */
  refuse(execution: Execution, plan: FlowPlan): DomainError | undefined;
  /** What carries it out, one after the other; none when it is so already. */
  events(execution: Execution): readonly Event[];
  /** True when the last event did what was asked for: something else may have been faster. */
  hasHappened(after: Execution, before: Execution): boolean;
  /** It runs whatever the limit of its flow says. */
  readonly takesSlot?: boolean;
  /** The answer shows what became of it, not how it began. */
  readonly returnsOutcome?: boolean;
}

/** Failed and paused tasks run again. */
export function restartAction(): ExecutionAction {
  return {
    verb: "restart",
    refuse: (execution, plan) => refuseRestart(execution, plan),
    events: () => [{ type: "restarted" }],
    hasHappened: (after, before) => after.attemptNumber > before.attemptNumber,
  };
}

/** Why an execution cannot be restarted under a plan, which may be that of another revision. */
export function refuseRestart(execution: Execution, plan: FlowPlan): DomainError | undefined {
  const refusal = refuseUnlessAtRest("restart", execution);
  if (refusal || canRestart(plan, execution)) return refusal;
  return new DomainError(
    "invalid_argument",
    "Illegal argument: No task found to restart execution from!",
  );
}

/** Work stops; `sparesChildren` leaves the executions alone that it has started. */
export function killAction(sparesChildren = false): ExecutionAction {
  return {
    verb: "kill",
    refuse: (execution) =>
      isEnded(execution.history)
        ? conflict("kill", execution, `it has already ended in state ${currentState(execution.history)}`)
        : undefined,
    events: () => [{ type: "kill_asked", sparesChildren }],
    hasHappened: (after) => KILLED.has(currentState(after.history)),
    returnsOutcome: true,
  };
}

/** The kill of one that is tried again was passed on to the one in its place. */
const KILLED: ReadonlySet<State> = new Set(["KILLING", "KILLED", "RETRIED"]);

/** What is under way ends, and nothing more starts until it is resumed. */
export function pauseAction(): ExecutionAction {
  return {
    verb: "pause",
    refuse: (execution) => refuseUnless("pause", execution, ["RUNNING"]),
    events: () => [{ type: "pause_asked" }],
    hasHappened: (after) => after.isHeld === true && currentState(after.history) === "PAUSED",
  };
}

/** One pause ends, or without a task run the hold of the whole execution. */
export function resumeAction(
  { taskRun, inputs, by }: { readonly taskRun?: number; readonly inputs?: JsonObject; readonly by: string },
): ExecutionAction {
  return {
    verb: "resume",
    refuse: (execution) => {
      const isPaused = taskRun === undefined
        ? execution.isHeld === true
        : stateOfTaskRun(execution, taskRun) === "PAUSED";
      return isPaused ? undefined : conflict("resume", execution, "it is not paused");
    },
    events: () => [{ type: "resumed", taskRun, inputs, by }],
    hasHappened: (after, before) =>
      taskRun === undefined
        ? hasMoved(after, before)
        : taskRunOf(after, taskRun)?.outputs?.resumed !== undefined,
  };
}

/** It goes on behind its breakpoint, up to the given ones. */
export function passBreakpointAction(breakpoints?: readonly string[]): ExecutionAction {
  return {
    verb: "resume",
    refuse: (execution) => refuseUnless("resume", execution, ["BREAKPOINT"]),
    events: () => [{ type: "breakpoint_passed", breakpoints }],
    hasHappened: hasMoved,
  };
}

/** A task run gets another end, and what follows runs. */
export function setTaskStateAction(taskRun: TaskRun, state: State): ExecutionAction {
  const verb = "change the state of a task run of";
  return {
    verb,
    refuse: (execution, plan) =>
      refuseUnlessAtRest(verb, execution) ?? refusePart(execution, plan, taskRun) ??
        refuseTaskState(execution, taskRun, state),
    events: (execution) =>
      stateOfTaskRun(execution, taskRun.ordinal) === state
        ? []
        : [{ type: "task_state_set", taskRun: taskRun.ordinal, state }],
    hasHappened: (after, before) => after.attemptNumber > before.attemptNumber,
  };
}

/** What shares a directory, or belongs to a pause, cannot go on by itself. */
function refusePart(execution: Execution, plan: FlowPlan, { ordinal }: TaskRun): DomainError | undefined {
  const taskRun = taskRunOf(execution, ordinal);
  const whole = taskRun && restartUnitOf(plan, execution, taskRun);
  if (!whole || whole === taskRun) return undefined;
  const reason = `the task "${taskRun.taskId}" runs again only with all of "${whole.taskId}"; ` +
    `change the state of "${whole.taskId}"`;
  return conflict("change the state of a task run of", execution, reason);
}

function refuseTaskState(
  execution: Execution,
  { ordinal }: TaskRun,
  state: State,
): DomainError | undefined {
  const current = stateOfTaskRun(execution, ordinal);
  if (current === undefined || current === state || canMove("task_run", current, state)) return undefined;
  return conflict(
    "change the state of a task run of",
    execution,
    `it is ${current}, and cannot become ${state}`,
  );
}

/** States that a person may give to what has ended. */
export const ASSIGNABLE_STATES = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"] as const;

/** An execution that has ended gets another end. */
export function changeStateAction(state: State): ExecutionAction {
  return {
    verb: "change the state of",
    refuse: (execution) => refuseUnlessEnded("change the state of", execution, "conflict"),
    events: () => [{ type: "state_set", state }],
    hasHappened: (after) => currentState(after.history) === state,
  };
}

/** Labels of an execution that has ended are set; others stay. */
export function setLabelsAction(labels: readonly Label[]): ExecutionAction {
  return {
    verb: "set labels of",
    refuse: (execution) =>
      refuseUnlessEnded("set labels of", execution, "bad_request") ?? refuseLabels(execution, labels),
    events: (
      execution,
    ) => [{ type: "labels_set", labels: labels.filter((label) => !hasLabel(execution.labels, label)) }],
    hasHappened: () => true,
  };
}

/** It is marked as one that another execution repeats, once. */
export function markReplayedAction(): ExecutionAction {
  const mark: Label = { key: REPLAYED_LABEL, value: "true" };
  return {
    verb: "mark",
    refuse: () => undefined,
    events: (execution) => hasLabel(execution.labels, mark) ? [] : [{ type: "labels_set", labels: [mark] }],
    hasHappened: () => true,
  };
}

/** Labels of the system may be sent back as they are. */
function refuseLabels(execution: Execution, labels: readonly Label[]): DomainError | undefined {
  const changed = labels.find((label) => isSystemLabel(label.key) && !hasLabel(execution.labels, label));
  const problem = changed
    ? systemLabelMessage(changed.key, changed.value)
    : labelsProblem(mergeLabels(execution.labels, labels).filter(({ key }) => !isSystemLabel(key)));
  return problem === undefined
    ? undefined
    : new DomainError("invalid_entity", `Invalid entity: labels: ${problem}`);
}

/** States that an execution can leave its queue for. */
export const UNQUEUED_STATES = ["RUNNING", "CANCELLED", "FAILED"] as const;

/** An execution that waits for a slot runs without one, or ends. */
export function unqueueAction(state: typeof UNQUEUED_STATES[number]): ExecutionAction {
  return {
    verb: "unqueue",
    refuse: (execution) => refuseUnless("unqueue", execution, ["QUEUED"]),
    events: () => [state === "RUNNING" ? { type: "started" } : { type: "refused_slot", state }],
    hasHappened: (after) => currentState(after.history) === state,
    takesSlot: state === "RUNNING",
  };
}

/** Whatever an execution waits for before or between its tasks is no longer waited for; one that waits for nothing stays as it is. */
export function forceRunAction(by: string): ExecutionAction {
  return {
    verb: "force the run of",
    refuse: (execution) =>
      isEnded(execution.history)
        ? conflict("force the run of", execution, `it is ${currentState(execution.history)}, and has ended`)
        : undefined,
    events: (execution) => forcingEvents(execution, by),
    hasHappened: hasMoved,
    takesSlot: true,
  };
}

function forcingEvents(execution: Execution, by: string): Event[] {
  switch (currentState(execution.history)) {
    case "BREAKPOINT":
      return [{ type: "breakpoint_passed" }];
    case "PAUSED": {
      const paused = execution.taskRuns.filter(({ history }) => currentState(history) === "PAUSED");
      const resumed = paused.map(({ ordinal }): Event => ({ type: "resumed", taskRun: ordinal, by }));
      return execution.isHeld ? [{ type: "resumed", by }, ...resumed] : resumed;
    }
    case "CREATED":
    case "QUEUED":
      return [{ type: "started" }];
    default:
      return [];
  }
}

/** It may have come to its end in the same step. */
function hasMoved(after: Execution, before: Execution): boolean {
  return after.history.length > before.history.length;
}

/** Why it cannot be done before the execution has ended or is paused. */
export function refuseUnlessAtRest(verb: string, execution: Execution): DomainError | undefined {
  if (isAtRest(execution)) return undefined;
  const state = currentState(execution.history);
  const reason = state === "PAUSED" ? "a task is still running" : `it is ${state}`;
  return conflict(verb, execution, `${reason}; it must have ended or be paused`);
}

function refuseUnlessEnded(
  verb: string,
  execution: Execution,
  code: "conflict" | "bad_request",
): DomainError | undefined {
  if (isEnded(execution.history)) return undefined;
  const prefix = code === "conflict" ? "Illegal state" : "Bad Request";
  const state = currentState(execution.history);
  return new DomainError(
    code,
    `${prefix}: Cannot ${verb} execution "${execution.id}": it is ${state}, and must have ended`,
  );
}

function refuseUnless(verb: string, execution: Execution, states: readonly State[]): DomainError | undefined {
  const state = currentState(execution.history);
  if (states.includes(state)) return undefined;
  return conflict(verb, execution, `it is ${state}, and must be ${states.join(", ")}`);
}

/** A refusal because of the state that an execution is in. */
export function conflict(verb: string, { id }: Pick<Execution, "id">, reason: string): DomainError {
  return new DomainError("conflict", `Illegal state: Cannot ${verb} execution "${id}": ${reason}`);
}

function stateOfTaskRun(execution: Execution, ordinal: number): State | undefined {
  const taskRun = taskRunOf(execution, ordinal);
  return taskRun && currentState(taskRun.history);
}
