/**
 * How the children of a flowable task are arranged: branches, each a sequence of tasks, at most `limit` of them at a
 * time. A sequence is one branch, a Parallel has one for each task, a ForEach one for each value.
 */
import type { TaskRun } from "../model/executions/execution.ts";
import type { Task } from "../model/flows/flow.ts";

/** A task of a flow with its surroundings. */
export interface TaskPlace {
  readonly task: Task;
  /** The task that it is nested in. */
  readonly parent?: TaskPlace;
  /** Name of the list that holds it: `tasks`, `errors`, `then`, `cases.yes`, … */
  readonly block: string;
  /** Position in that list. */
  readonly index: number;
  /** The list. */
  readonly siblings: readonly TaskPlace[];
  /** What is nested in it, by name of the list. */
  readonly blocks: ReadonlyMap<string, readonly TaskPlace[]>;
}

/** What marks the task runs of a branch. */
export interface BranchMark {
  readonly value?: string;
  readonly iteration?: number;
}

/**
 * What a failure of one branch does to the others: those under way go on and none is begun, or they are interrupted, or
 * everything goes on that does not need the failed one.
 */
export type AfterFailure = "wait" | "cancel" | "continue";

/** The branches of one flowable task run. */
export interface Branches {
  readonly count: number;
  /** Branches under way at a time. */
  readonly limit: number;
  /** The task of a branch that comes after `after`, or its first; disabled tasks are left out. */
  next(branch: number, after?: TaskPlace): TaskPlace | undefined;
  /** The branch that a child belongs to. */
  branchOf(taskRun: TaskRun, place: TaskPlace): number;
  /** What marks its task runs. */
  markOf?(branch: number): BranchMark;
  /** Branches that must have ended well before this one starts. */
  needs?(branch: number): readonly number[];
  /** Absent: `wait`. */
  readonly afterFailure?: AfterFailure;
}

const NO_TASKS: readonly TaskPlace[] = [];

/** Those without a mark are the same for all executions of a flow. */
const sequences = new WeakMap<readonly TaskPlace[], Branches>();

/** One branch: one task after the other. */
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

/** A branch for each task. */
export function eachTask(list: readonly TaskPlace[] = [], limit = Infinity): Branches {
  return {
    count: list.length,
    limit,
    next: (branch, after) => after ? undefined : enabled(list[branch]),
    branchOf: (_taskRun, place) => place.index,
  };
}

/** A branch for each value: the tasks one after the other. */
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

/** A branch for each task, each after those it depends on. A disabled task counts as done. */
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

function enabled(place: TaskPlace | undefined): TaskPlace | undefined {
  return place && !place.task.disabled ? place : undefined;
}
