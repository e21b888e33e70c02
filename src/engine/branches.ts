/**
 * How the children of a flowable task are arranged: branches, each a sequence of tasks, at most `limit` at a time. A
 * Sequential has one branch, a Parallel one for each task, a ForEach one for each value.
 */
import type { TaskRun } from "../model/executions/execution.ts";
import type { Task } from "../model/flows/flow.ts";

/** A task and its position in its flow. */
export interface TaskPlace {
  readonly task: Task;
  readonly parent?: TaskPlace;
  /** Name of the list that holds it: `tasks`, `errors`, `then`, `cases.yes`, … */
  readonly block: string;
  readonly index: number;
  readonly siblings: readonly TaskPlace[];
  /** The tasks nested in it, by name of their list. */
  readonly blocks: ReadonlyMap<string, readonly TaskPlace[]>;
}

/** Members of the task runs of a branch. */
export interface BranchMark {
  readonly value?: string;
  readonly iteration?: number;
}

/**
 * The effect of a failed branch on the others: `wait` lets open ones end and starts none, `cancel` interrupts them,
 * `continue` runs all that do not need the failed one.
 */
export type AfterFailure = "wait" | "cancel" | "continue";

/** The branches of one flowable task run. */
export interface Branches {
  readonly count: number;
  /** Branches open at a time. */
  readonly limit: number;
  /** The task after `after` in a branch, or the first; disabled tasks are skipped. */
  next(branch: number, after?: TaskPlace): TaskPlace | undefined;
  /** The branch of a child. */
  branchOf(taskRun: TaskRun, place: TaskPlace): number;
  /** The value and iteration of its task runs. */
  markOf?(branch: number): BranchMark;
  /** Branches that must succeed before this one starts. */
  needs?(branch: number): readonly number[];
  /** Default: `wait`. */
  readonly afterFailure?: AfterFailure;
}

const NO_TASKS: readonly TaskPlace[] = [];

/** Sequences without a mark, shared by all executions of a flow. */
const sequences = new WeakMap<readonly TaskPlace[], Branches>();

/** One branch with all tasks. */
export function sequence(list = NO_TASKS, mark?: BranchMark): Branches {
  if (mark) return newSequence(list, mark);
  let known = sequences.get(list);
  if (!known) sequences.set(list, known = newSequence(list));
  return known;
}

function newSequence(list: readonly TaskPlace[], mark?: BranchMark): Branches {
  return {
    count: list.length === 0 ? 0 : 1,
    limit: 1,
    next: (_branch, after) => firstEnabled(list, after ? after.index + 1 : 0),
    branchOf: () => 0,
    markOf: mark && (() => mark),
  };
}

/** A branch for each listener, and one for the other tasks of `afterExecution`: none keeps the others back. */
export function eachListener(list = NO_TASKS): Branches {
  if (list.every(({ task }) => task.listener === undefined)) return sequence(list);
  const owners = [...new Set(list.map(({ task }) => task.listener))];
  const branches = owners.map((owner) => list.filter(({ task }) => task.listener === owner));
  return {
    count: branches.length,
    limit: 1,
    next: (branch, after) => nextEnabled(branches[branch], after),
    branchOf: (_taskRun, { task }) => owners.indexOf(task.listener),
    afterFailure: "continue",
  };
}

/** A branch for each task. */
export function eachTask(list: readonly TaskPlace[] = [], limit = Infinity): Branches {
  return {
    count: list.length,
    limit,
    next: (branch, after) => after ? undefined : enabled(list[branch]),
    branchOf: (_taskRun, place) => place.index,
  };
}

/** A branch with all tasks for each value. */
export function eachValue(values: readonly string[], list: readonly TaskPlace[] = [], limit = 1): Branches {
  return {
    count: values.length,
    limit,
    next: (_branch, after) => firstEnabled(list, after ? after.index + 1 : 0),
    branchOf: (taskRun) => taskRun.iteration ?? 0,
    markOf: (branch) => ({ value: values[branch], iteration: branch }),
  };
}

/** A branch for each task of each value. */
export function eachValueAndTask(
  values: readonly string[],
  list: readonly TaskPlace[] = [],
  limit = Infinity,
): Branches {
  const valueOf = (branch: number) => Math.floor(branch / list.length);
  return {
    count: values.length * list.length,
    limit,
    next: (branch, after) => after ? undefined : enabled(list[branch % list.length]),
    branchOf: (taskRun, place) => (taskRun.iteration ?? 0) * list.length + place.index,
    markOf: (branch) => ({ value: values[valueOf(branch)], iteration: valueOf(branch) }),
  };
}

/** A branch for each task; it starts after those that the task depends on. A disabled task counts as done. */
export function inOrderOfNeeds(list: readonly TaskPlace[] = [], limit = Infinity): Branches {
  const branchOfId = new Map(list.map(({ task }, branch) => [task.id, branch]));
  const needs = list.map(({ task }) => (task.dependsOn ?? []).flatMap((id) => branchOfId.get(id) ?? []));
  return { ...eachTask(list, limit), needs: (branch) => needs[branch] ?? [] };
}

function firstEnabled(list: readonly TaskPlace[], from: number): TaskPlace | undefined {
  for (let index = from; index < list.length; index++) {
    const place = enabled(list[index]);
    if (place) return place;
  }
  return undefined;
}

function nextEnabled(list: readonly TaskPlace[] = [], after: TaskPlace | undefined): TaskPlace | undefined {
  return firstEnabled(list, after ? list.indexOf(after) + 1 : 0);
}

function enabled(place: TaskPlace | undefined): TaskPlace | undefined {
  return place && !place.task.disabled ? place : undefined;
}
