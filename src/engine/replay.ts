/** A new execution from an older one: from its start, or from one of its task runs. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { type Execution, type TaskRun, taskRunOf } from "../model/execution.ts";
import { CORRELATION_LABEL, type Label, mergeLabels } from "../model/label.ts";
import { currentState, startedAt } from "../model/state.ts";
import { branchesOfTaskRun } from "./branches_of.ts";
import { descendantsOf } from "./decide.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import type { FlowPlan } from "./plan.ts";
import { ancestorsOf, handlersOf } from "./restart.ts";

/** What the new execution is made with. */
export interface ReplayRequest {
  readonly id: string;
  readonly now: Instant;
  /** Ordinal of the task run to start from; absent: from the start. */
  readonly taskRun?: number;
  /** Instead of those of the older one. */
  readonly inputs?: JsonObject;
  readonly breakpoints?: readonly string[];
  /** It takes the place of the older one, which is tried again. */
  readonly isRetry?: boolean;
  /** Starts then. */
  readonly scheduleDate?: Instant;
}

const REPLAY_LABEL: Label = { key: "system.replay", value: "true" };

/** The new execution; the plan is that of the revision it is to run. It is CREATED, or RESTARTED when it has task runs already. */
export function replayExecution(plan: FlowPlan, source: Execution, request: ReplayRequest): Execution {
  const { now, id } = request;
  const target = request.taskRun === undefined ? undefined : taskRunOf(source, request.taskRun);
  const own = source.labels.filter(({ key, value }) => !(key === CORRELATION_LABEL && value === source.id));
  const labels = request.isRetry ? [...source.labels] : mergeLabels(own, [REPLAY_LABEL]);
  if (!labels.some(({ key }) => key === CORRELATION_LABEL)) {
    labels.push({ key: CORRELATION_LABEL, value: id });
  }
  const taskRuns = target ? copiesUpTo(plan, source, target, now) : [];
  return {
    ...source,
    id,
    flowRevision: plan.flow.revision,
    history: target ? [...source.history, { state: "RESTARTED", at: now }] : [{ state: "CREATED", at: now }],
    inputs: request.inputs ?? source.inputs,
    labels,
    scheduleDate: request.scheduleDate,
    parentId: source.id,
    awaitedBy: request.isRetry ? source.awaitedBy : undefined,
    originalId: source.originalId,
    originalCreatedAt: source.originalCreatedAt ?? startedAt(source.history),
    attemptNumber: request.isRetry ? source.attemptNumber + 1 : 1,
    crashes: 0,
    variables: target ? source.variables : undefined,
    outputs: undefined,
    taskRuns,
    nextOrdinal: target ? source.nextOrdinal : 0,
    touched: new Set(taskRuns.map(({ ordinal }) => ordinal)),
    isHeld: undefined,
    exitState: undefined,
    breakpoints: request.breakpoints,
    timers: new Map(),
    newLogs: [],
    logCount: 0,
    maxLogLevel: undefined,
  };
}

/** Copies of everything that comes before `target`; the target and the tasks around it are open again. */
function copiesUpTo(plan: FlowPlan, source: Execution, target: TaskRun, now: Instant): TaskRun[] {
  const ancestors = ancestorsOf(source, [target]);
  const dropped = handlersOf(plan, source, ancestors);
  for (const taskRun of descendantsOf(source.taskRuns, target)) dropped.add(taskRun);
  for (const later of [target, ...ancestors].flatMap((taskRun) => laterThan(plan, source, taskRun))) {
    dropped.add(later);
    for (const taskRun of descendantsOf(source.taskRuns, later)) dropped.add(taskRun);
  }
  return source.taskRuns.filter((taskRun) => !dropped.has(taskRun)).map((taskRun) => {
    const copy = { ...taskRun, history: [...taskRun.history], attempts: [...taskRun.attempts] };
    if (taskRun === target) reopen(plan, copy, now);
    else if (ancestors.has(taskRun) && currentState(taskRun.history) !== "RUNNING") {
      copy.history.push({ state: "RUNNING", at: now });
    }
    return copy;
  });
}

function reopen(plan: FlowPlan, taskRun: TaskRun, now: Instant): void {
  const place = plan.places.get(taskRun.taskId);
  const flowable = place && FLOWABLES.get(place.task.kind);
  const isRunning = flowable !== undefined && !flowable.startsExecutions;
  taskRun.history.push({ state: isRunning ? "RUNNING" : "RESTARTED", at: now });
  taskRun.outputs = undefined;
  taskRun.decision = undefined;
}

/** Siblings that ran because a task run had ended: those after it in its branch, branches after its, branches that needed it. */
function laterThan(plan: FlowPlan, source: Execution, taskRun: TaskRun): TaskRun[] {
  const place = plan.places.get(taskRun.taskId);
  if (!place) return [];
  const parent = taskRun.parent === undefined ? undefined : taskRunOf(source, taskRun.parent);
  const branches = branchesOfTaskRun(plan, parent);
  if (!branches) return [];
  const branch = branches.branchOf(taskRun, place);
  return source.taskRuns.filter((other) => {
    const otherPlace = plan.places.get(other.taskId);
    if (other === taskRun || other.parent !== taskRun.parent || !otherPlace) return false;
    const otherBranch = branches.branchOf(other, otherPlace);
    if (otherBranch === branch) return other.ordinal > taskRun.ordinal;
    if (branches.needs) return needsBranch(branches.needs, otherBranch, branch);
    return branches.limit !== Infinity && otherBranch > branch;
  });
}

function needsBranch(needs: (branch: number) => readonly number[], branch: number, needed: number): boolean {
  return needs(branch).some((direct) => direct === needed || needsBranch(needs, direct, needed));
}
