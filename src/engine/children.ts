/**
 * Executions that a task run has started and waits for: a Subflow has one, a ForEachItem one for each batch. Of many only
 * numbers are kept: their ids follow from the task run, the attempt and the time at which it began with them.
 */
import type { Instant } from "../base/clock.ts";
import { derivedId, derivedIndex } from "../base/derived_id.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { TaskRun } from "../model/execution.ts";
import { currentState, type State } from "../model/state.ts";
import type { AttemptOutcome } from "../model/task_catalog.ts";
import type { Event } from "./events.ts";
import type { Transition } from "./transition.ts";

/** Many executions of one task run; stored as the member `children` of its decision. */
export interface ChildNumbers {
  readonly total: number;
  /** Those with a lower index were created. */
  readonly started: number;
  /** The execution that has created them: a replay of it has its numbers too. */
  readonly executionId: string;
  readonly madeAt: Instant;
  /** Number of the attempt that creates them. */
  readonly attempt: number;
  readonly waits: boolean;
  readonly transmitsFailed: boolean;
  /** How many have ended, by state. */
  readonly ended: Readonly<Record<string, number>>;
}

/** Kills that one transition asks for. */
const KILLS_AT_ONCE = 200;

/** True when a task run has started another execution. */
export function hasChildren({ decision }: TaskRun): boolean {
  return typeof decision?.executionId === "string" || decision?.children !== undefined;
}

/** The numbers of a task run with many executions. */
export function childNumbersOf({ decision }: TaskRun): ChildNumbers | undefined {
  return isJsonObject(decision?.children) ? decision.children as unknown as ChildNumbers : undefined;
}

/** The id of one of many executions. */
export function childId(
  { ordinal }: Pick<TaskRun, "ordinal">,
  numbers: Pick<ChildNumbers, "executionId" | "madeAt" | "attempt">,
  index: number,
): string {
  return derivedId(numbers.madeAt, index, seedOf(ordinal, numbers));
}

/** Goes on with creating executions after a crash; false when all there will be exist already. */
export function resumeChildren(t: Transition, taskRun: TaskRun): boolean {
  const numbers = childNumbersOf(taskRun);
  const place = t.tree.placeOf(taskRun);
  if (!numbers || !place || numbers.started >= numbers.total) return false;
  t.ask({ type: "start_child", taskRun: taskRun.ordinal, task: place.task, from: numbers.started });
  return true;
}

/** Asks for the end of all executions that a task run has started. */
export function killChildren(t: Transition, taskRun: TaskRun): void {
  const executionId = taskRun.decision?.executionId;
  if (typeof executionId === "string") t.ask({ type: "kill_child", executionId });
  else if (childNumbersOf(taskRun)) t.ask({ type: "kill_children", taskRun: taskRun.ordinal, from: 0 });
}

/** Kills some of many executions, and asks for the next ones. Also after the end of this execution. */
export function killSome(t: Transition, { taskRun: ordinal, from }: EventOf<"children_kill_asked">): void {
  const taskRun = t.find(ordinal)?.taskRun;
  const numbers = taskRun && childNumbersOf(taskRun);
  if (!numbers) return;
  const end = Math.min(from + KILLS_AT_ONCE, numbers.started);
  for (let index = from; index < end; index++) {
    t.ask({ type: "kill_child", executionId: childId(taskRun, numbers, index) });
  }
  if (end < numbers.started) t.ask({ type: "kill_children", taskRun: ordinal, from: end });
}

/** Some of many executions were created with this transition; gives the outcome when nothing is left to wait for. */
export function applyChildrenStart(
  t: Transition,
  taskRun: TaskRun,
  event: EventOf<"children_started">,
): AttemptOutcome | undefined {
  const known = childNumbersOf(taskRun);
  const isExpected = currentState(taskRun.history) === "RUNNING" && (known?.started ?? 0) === event.from &&
    event.attempt === taskRun.attempts.length;
  if (!isExpected) return undefined;
  const { total, madeAt, attempt, waits, transmitsFailed } = event;
  const made = { executionId: t.execution.id, madeAt, attempt };
  const numbers = { total, ...made, waits, transmitsFailed, ended: {}, ...known };
  keep(t, taskRun, { ...numbers, started: event.from + event.count });
  return resumeChildren(t, taskRun) ? undefined : outcomeOf(taskRun);
}

/** One of many executions has ended; gives the outcome when it was the last one. */
export function applyOneEnd(
  t: Transition,
  taskRun: TaskRun,
  { executionId, state, replaces }: EventOf<"child_ended">,
): AttemptOutcome | undefined {
  const numbers = childNumbersOf(taskRun);
  if (!numbers || currentState(taskRun.history) !== "RUNNING") return undefined;
  const seed = seedOf(taskRun.ordinal, numbers);
  if (derivedIndex(executionId, numbers.madeAt, seed) === undefined) return undefined;
  const ended = { ...numbers.ended, [state]: (numbers.ended[state] ?? 0) + 1 };
  // It had ended before, and was restarted since.
  if (replaces) ended[replaces] = Math.max(0, (ended[replaces] ?? 0) - 1);
  keep(t, taskRun, { ...numbers, ended });
  return outcomeOf(taskRun);
}

type EventOf<T extends Event["type"]> = Extract<Event, { type: T }>;

function seedOf(
  ordinal: number,
  { executionId, attempt }: Pick<ChildNumbers, "executionId" | "attempt">,
): string {
  return `${executionId}/${ordinal}/${attempt}`;
}

function keep(t: Transition, taskRun: TaskRun, numbers: ChildNumbers): void {
  taskRun.decision = { children: numbers as unknown as JsonObject };
  const { total, started, ended } = numbers;
  const iterations = { CREATED: total - started, RUNNING: started - countOf(ended), ...ended };
  taskRun.outputs = { numberOfBatches: total, iterations };
  t.touch(taskRun);
}

function outcomeOf(taskRun: TaskRun): AttemptOutcome | undefined {
  const { total, started, ended, waits, transmitsFailed } = childNumbersOf(taskRun) as ChildNumbers;
  if (started < total || waits && countOf(ended) < total) return undefined;
  const worst = transmitsFailed ? COPIED.find((state) => (ended[state] ?? 0) > 0) : undefined;
  return { state: worst ?? "SUCCESS", outputs: taskRun.outputs };
}

/** Ends of executions that become the one of the task run, the worst first. */
const COPIED = ["FAILED", "KILLED", "WARNING"] as const satisfies readonly State[];

function countOf(ended: Readonly<Record<string, number>>): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0);
}
