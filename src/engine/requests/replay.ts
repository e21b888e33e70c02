/** Creates an execution from an older one: from its start or from one of its task runs. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { type Execution, type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import { CORRELATION_LABEL, type Label, mergeLabels, REPLAYED_LABEL } from "../../model/flows/label.ts";
import {
  canMove,
  changedAt,
  currentState,
  hasRun,
  isEnded,
  move,
  type State,
  TERMINAL_STATES,
} from "../../model/executions/state.ts";
import { firstStartOf, isStopping } from "../attempts.ts";
import type { Branches, TaskPlace } from "../branches.ts";
import { reopenedDecision } from "../decide.ts";
import { FLOWABLES } from "../flowable/registry.ts";
import type { FlowPlan } from "../plan.ts";
import {
  failedTaskRuns,
  handlersOf,
  resetRestartUnits,
  restart,
  RESTART_UNIT_KINDS,
  restartUnitOf,
} from "./restart.ts";
import { Transition } from "../transition.ts";
import { ancestorsOf, branchesOfTaskRun, descendantsOf, ExecutionTree } from "../tree.ts";

/** The given members of the new execution. */
export interface ReplayRequest {
  readonly id: string;
  readonly now: Instant;
  /** Ordinal of the task run to start from (its restart unit, if it has one); absent: from the start. */
  readonly taskRun?: number;
  /** Default: those of the older one. */
  readonly inputs?: JsonObject;
  /** Outputs of task runs that do not run again, by ordinal; they replace those of the older one. */
  readonly outputs?: ReadonlyMap<number, JsonObject>;
  readonly breakpoints?: readonly string[];
  /** It replaces the older one, as a retry. */
  readonly isRetry?: boolean;
  readonly scheduleDate?: Instant;
}

const REPLAY_LABEL: Label = { key: "system.replay", value: "true" };

/** The new execution, which runs the revision of `plan`: CREATED, or RESTARTED when it has task runs. */
export function replayExecution(plan: FlowPlan, source: Execution, request: ReplayRequest): Execution {
  const { now } = request;
  const chosen = request.taskRun === undefined ? undefined : taskRunOf(source, request.taskRun);
  const target = chosen && restartUnitOf(plan, source, chosen);
  const at = target ? Math.max(now, changedAt(source.history)) : now;
  const execution: Execution = {
    ...successorOf(plan, source, request),
    history: target ? [...source.history, { state: "RESTARTED", at }] : [{ state: "CREATED", at }],
    // The time of retries counts from the start of a replay, as their number does.
    originalCreatedAt: request.isRetry ? firstStartOf(source) : target && at,
    labels: labelsOf(source, request),
    attemptNumber: request.isRetry ? source.attemptNumber + 1 : 1,
    variables: target ? source.variables : undefined,
    nextOrdinal: target ? source.nextOrdinal : 0,
    ...withTaskRuns(target ? withOutputs(copiesUpTo(plan, source, target, now), request.outputs) : []),
  };
  resetRestartUnits(new Transition(new ExecutionTree(plan, execution), now));
  return execution;
}

/** True if a task run of the older execution is taken over as it ended. */
export function isKept(replay: Execution, ordinal: number): boolean {
  const taskRun = taskRunOf(replay, ordinal);
  return taskRun !== undefined && TERMINAL_STATES.has(currentState(taskRun.history));
}

function withOutputs(taskRuns: TaskRun[], outputs: ReplayRequest["outputs"]): TaskRun[] {
  if (!outputs) return taskRuns;
  return taskRuns.map((taskRun) => ({
    ...taskRun,
    outputs: outputs.get(taskRun.ordinal) ?? taskRun.outputs,
  }));
}

/**
 * A new execution, RESTARTED, that runs the failed and paused tasks of an older one again with another revision of its
 * flow.
 */
export function restartAnew(
  plan: FlowPlan,
  source: Execution,
  request: Pick<ReplayRequest, "id" | "now">,
): Execution {
  const execution: Execution = {
    ...successorOf(plan, source, request),
    originalCreatedAt: firstStartOf(source),
    history: [...source.history],
    labels: labelsOf(source, { id: request.id, isRestart: true }),
    ...withTaskRuns(source.taskRuns.map((taskRun) => copyOf(taskRun, request.now))),
  };
  // Child executions belong to the older one.
  for (const taskRun of execution.taskRuns) {
    if (taskRun.decision?.executionId ?? taskRun.decision?.restarts) taskRun.decision = undefined;
  }
  const transition = new Transition(new ExecutionTree(plan, execution), request.now);
  resetRestartUnits(transition);
  restart(transition);
  return execution;
}

/**
 * A task that would continue in a replay from a task run, but that another revision has elsewhere or within other tasks;
 * `undefined` if no task is. `olderPlan` is the plan of the older execution.
 */
export function movedInReplay(
  { plan, olderPlan }: Revisions,
  source: Execution,
  taskRun: TaskRun,
): string | undefined {
  const target = restartUnitOf(plan, source, taskRun);
  // What is kept beside it can be told only if it is where it was.
  return movedTask({ plan, olderPlan }, [taskRun], [taskRun]) ??
    movedTask({ plan, olderPlan }, copiesUpTo(plan, source, target, changedAt(source.history)), [target]);
}

/** As {@link movedInReplay}, of a restart. */
export function movedInRestart({ plan, olderPlan }: Revisions, source: Execution): string | undefined {
  const targets = failedTaskRuns(plan, source);
  const dropped = descendantsOf(source.taskRuns, targets);
  const kept = source.taskRuns.filter((taskRun) => !isEnded(taskRun.history) && !dropped.has(taskRun));
  return movedTask({ plan, olderPlan }, [...targets, ...kept], targets);
}

interface Revisions {
  readonly plan: FlowPlan;
  readonly olderPlan: FlowPlan;
}

/** The `targets` begin anew, so that their tasks may be of another type. */
function movedTask(
  { plan, olderPlan }: Revisions,
  taskRuns: readonly TaskRun[],
  targets: readonly TaskRun[],
): string | undefined {
  const begun = new Set(targets.map(({ ordinal }) => ordinal));
  return taskRuns.find(({ ordinal, taskId, history }) => {
    if (isEnded(history) && !begun.has(ordinal)) return false;
    const [place, before] = [plan.places.get(taskId), olderPlan.places.get(taskId)];
    const isSameType = place?.task.kind === before?.task.kind || begun.has(ordinal);
    return !isSameType || !isWithinSame(place, before);
  })?.taskId;
}

function isWithinSame(place: TaskPlace | undefined, before: TaskPlace | undefined): boolean {
  const [around, aroundBefore] = [place?.parent, before?.parent];
  if (place?.block !== before?.block || around?.task.id !== aroundBefore?.task.id) return false;
  return around?.task.kind === aroundBefore?.task.kind && (!around || isWithinSame(around, aroundBefore));
}

/** The members that every execution takes over from an older one. */
function successorOf(plan: FlowPlan, source: Execution, request: ReplayRequest): Execution {
  return {
    ...source,
    id: request.id,
    flowRevision: plan.flow.revision,
    inputs: request.inputs ?? source.inputs,
    scheduleDate: request.scheduleDate,
    parentId: source.id,
    awaitedBy: request.isRetry ? source.awaitedBy : undefined,
    crashes: 0,
    outputs: undefined,
    isHeld: undefined,
    exitState: undefined,
    isAborting: undefined,
    breakpoints: request.breakpoints,
    timers: new Map(),
    newLogs: [],
    logCount: 0,
    maxLogLevel: undefined,
  };
}

function withTaskRuns(taskRuns: TaskRun[]): Pick<Execution, "taskRuns" | "touched"> {
  return { taskRuns, touched: new Set(taskRuns.map(({ ordinal }) => ordinal)) };
}

/** The labels of the older one without its replay mark; its own correlation id becomes the new id. */
function labelsOf(
  source: Execution,
  { id, isRetry, isRestart }: Pick<ReplayRequest, "id" | "isRetry"> & { readonly isRestart?: boolean },
): Label[] {
  const own = source.labels.filter(({ key, value }) =>
    key !== REPLAYED_LABEL && !(key === CORRELATION_LABEL && value === source.id)
  );
  const labels = isRetry ? [...source.labels] : mergeLabels(own, isRestart ? [] : [REPLAY_LABEL]);
  if (!labels.some(({ key }) => key === CORRELATION_LABEL)) {
    labels.push({ key: CORRELATION_LABEL, value: id });
  }
  return labels;
}

/** Copies of all task runs before `target`; the target and its ancestors are open again. */
function copiesUpTo(plan: FlowPlan, source: Execution, target: TaskRun, now: Instant): TaskRun[] {
  const ancestors = new Set(ancestorsOf(source, target));
  const dropped = handlersOf(plan, source, ancestors);
  const paused = source.taskRuns.filter(({ history }) => currentState(history) === "PAUSED");
  const later = [target, ...ancestors].flatMap((taskRun) => laterThan(plan, source, taskRun));
  for (const taskRun of later) dropped.add(taskRun);
  for (const taskRun of descendantsOf(source.taskRuns, [target, ...paused, ...later])) dropped.add(taskRun);
  return source.taskRuns.filter((taskRun) => !dropped.has(taskRun)).map((taskRun) => {
    const state = currentState(taskRun.history);
    if (taskRun === target && !isEnded(taskRun.history) && state !== "PAUSED") {
      return newlyCreated(taskRun, now);
    }
    const copy = copyOf(taskRun, now);
    if (taskRun === target || state === "PAUSED") reopen(plan, copy, now);
    else if (ancestors.has(taskRun)) {
      reach(copy, "RUNNING", now);
      copy.decision = reopenedDecision(plan, copy);
    }
    return copy;
  });
}

/** What is open runs in the copy from now on: limits of its time count from here. */
function copyOf(taskRun: TaskRun, now: Instant): TaskRun {
  const { history } = taskRun;
  const last = { state: currentState(history), at: Math.max(now, changedAt(history)) };
  return {
    ...taskRun,
    history: isEnded(history) ? [...history] : [...history.slice(0, -1), last],
    attempts: taskRun.attempts.map(({ history }) => ({ history: [...history] })),
  };
}

/** What has not ended has nothing to keep. */
function newlyCreated(taskRun: TaskRun, now: Instant): TaskRun {
  return {
    ...taskRun,
    history: [{ state: "CREATED", at: now }],
    attempts: [],
    outputs: undefined,
    decision: undefined,
  };
}

function reopen(plan: FlowPlan, taskRun: TaskRun, now: Instant): void {
  const place = plan.places.get(taskRun.taskId);
  const flowable = place && FLOWABLES.get(place.task.kind);
  const hasCondition = place?.task.runIf !== undefined; // It is evaluated again.
  const beginsAnew = flowable?.startsExecutions || RESTART_UNIT_KINDS.has(place?.task.kind ?? "");
  const isRunning = flowable !== undefined && !beginsAnew && !hasCondition && hasRun(taskRun.history);
  reach(taskRun, isRunning ? "RUNNING" : "RESTARTED", now);
  taskRun.outputs = undefined;
  taskRun.decision = undefined;
}

/** Moves to a state, through RESTARTED if it cannot be reached directly. */
function reach({ history }: TaskRun, state: State, now: Instant): void {
  const current = currentState(history);
  if (current !== state && !canMove("task_run", current, state)) move("task_run", history, "RESTARTED", now);
  move("task_run", history, state, now);
}

/**
 * Siblings that a replay from a task run drops: later ones of its branch, branches that need its branch, and later branches,
 * except for tasks before its own that have ended well.
 */
function laterThan(plan: FlowPlan, source: Execution, taskRun: TaskRun): TaskRun[] {
  const place = plan.places.get(taskRun.taskId);
  if (!place) return [];
  const parent = taskRun.parent === undefined ? undefined : taskRunOf(source, taskRun.parent);
  const branches = branchesOfTaskRun(plan, parent);
  if (!branches) return [];
  const branch = branches.branchOf(taskRun, place);
  const siblings = source.taskRuns.filter((other) => other !== taskRun && other.parent === taskRun.parent);
  const lastKept = lastKeptBranch(plan, siblings, { branches, branch, place });
  return siblings.filter((other) => {
    const otherPlace = plan.places.get(other.taskId);
    // The revision of the plan does not have it.
    if (!otherPlace) return other.ordinal > taskRun.ordinal;
    const otherBranch = branches.branchOf(other, otherPlace);
    if (otherBranch === branch) return other.ordinal > taskRun.ordinal;
    if (branches.needs) return needsBranch(branches.needs, otherBranch, branch);
    if (branches.limit === Infinity || otherBranch < branch) return false;
    return otherBranch > lastKept || otherPlace.index >= place.index;
  });
}

/** The last branch whose tasks before `place` are kept. Branches begin in order, so none up to there may be without such tasks. */
function lastKeptBranch(
  { places }: FlowPlan,
  siblings: readonly TaskRun[],
  { branches, branch, place }: {
    readonly branches: Branches;
    readonly branch: number;
    readonly place: TaskPlace;
  },
): number {
  const endedWell = new Map<number, boolean>();
  for (const sibling of siblings) {
    const before = places.get(sibling.taskId);
    if (!before || before.index >= place.index) continue;
    const at = branches.branchOf(sibling, before);
    endedWell.set(at, isEnded(sibling.history) && !isStopping(sibling) && endedWell.get(at) !== false);
  }
  let last = branch;
  while (endedWell.get(last + 1)) last++;
  return last;
}

function needsBranch(needs: (branch: number) => readonly number[], branch: number, needed: number): boolean {
  return needs(branch).some((direct) => direct === needed || needsBranch(needs, direct, needed));
}
