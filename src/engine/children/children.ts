/**
 * Executions that a task run starts: a Subflow starts one, a ForEachItem one for each batch, a Loop one for each pass. Of
 * many executions only counts are stored: their ids are derived from the task run, the attempt and its time.
 */
import { derivedId, derivedIndex } from "../../base/crypto/derived_id.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { TaskRun } from "../../model/executions/execution.ts";
import { changedAt, currentState, type State } from "../../model/executions/state.ts";
import type { AttemptOutcome } from "../../model/tasks/task_catalog.ts";
import type { ChildNames, ChildNumbers } from "./child_numbers.ts";
import { logChildEnd } from "./child_report.ts";
import type { Command, EventOf } from "../events.ts";
import type { Transition } from "../transition.ts";

/** Ends of executions that a task run logs. */
const MAX_LOGGED_ENDS = 10;
/** Kills that one transition emits. */
const KILLS_AT_ONCE = 200;
/** Ends of task runs that are stopped before their children have ended. */
const STOPPED: ReadonlySet<State> = new Set(["KILLED", "FAILED", "CANCELLED", "RETRIED"]);

/** True when a task run has started another execution. */
export function hasChildren({ decision }: TaskRun): boolean {
  return typeof decision?.executionId === "string" || decision?.children !== undefined;
}

/** The counts of a task run with many executions. */
export function childNumbersOf({ decision }: TaskRun): ChildNumbers | undefined {
  return isJsonObject(decision?.children) ? decision.children as unknown as ChildNumbers : undefined;
}

/** The id of one of many executions. */
export function childId(
  { ordinal }: Pick<TaskRun, "ordinal">,
  numbers: Omit<ChildNames, "started">,
  index: number,
): string {
  return derivedId(numbers.madeAt, index, seedOf(ordinal, numbers));
}

/** The ids of all executions that were started. */
export function childIds(taskRun: Pick<TaskRun, "ordinal">, numbers: ChildNumbers): string[] {
  return Array.from({ length: numbers.started }, (_, index) => childId(taskRun, numbers, index));
}

/**
 * Continues after a crash or in a replay: creates missing executions or collects the outputs; returns the outcome when
 * all have ended.
 */
export function resumeChildren(t: Transition, taskRun: TaskRun): AttemptOutcome | undefined {
  const numbers = childNumbersOf(taskRun);
  if (!numbers) return undefined;
  requestMore(t, taskRun, numbers);
  return numbers.passes && outcomeOf(t, taskRun);
}

/** After a hold: task runs with many executions may start further ones. */
export function resumeAllChildren(t: Transition): void {
  for (const taskRun of t.tree.open) {
    const numbers = isWaitingForEnds(taskRun) ? childNumbersOf(taskRun) : undefined;
    if (numbers) requestMore(t, taskRun, numbers);
  }
}

/** Requests further executions if there is room, one request at a time. */
function requestMore(t: Transition, taskRun: TaskRun, numbers: ChildNumbers): void {
  const place = t.tree.placeOf(taskRun);
  const { ordinal } = taskRun;
  if (!place || t.execution.isHeld || t.tree.starting.has(ordinal) || roomFor(numbers) <= 0) return;
  t.tree.starting.add(ordinal);
  t.emit({ type: "start_child", taskRun: ordinal, task: place.task, from: numbers.started });
}

/** How many executions may be started now. */
export function roomFor(numbers: ChildNumbers): number {
  const { total, started, isOver, passes, again } = numbers;
  const free = (passes?.limit ?? Infinity) - underWay(numbers);
  return isOver ? 0 : Math.min(free, total - started + (again?.left ?? 0));
}

function underWay({ started, ended, again }: ChildNumbers): number {
  return started - countOf(ended) + (again?.running ?? 0);
}

/** Kills all executions that a task run, which this transition stops, has started. */
export function killChildren(t: Transition, taskRun: TaskRun): void {
  if (!hasChildren(taskRun) || t.areOrphansKilledLater) return;
  if (t.commands.filter(isKill).length < KILLS_AT_ONCE) return killNow(t, taskRun);
  // More than one commit can kill: the task runs are found again by the time of this transition.
  t.commands.splice(0, Infinity, ...t.commands.filter((command) => !isKill(command)));
  t.areOrphansKilledLater = true;
  t.emit({ type: "kill_orphans", at: t.now, from: 0 });
}

function isKill({ type }: Command): boolean {
  return type === "kill_child" || type === "kill_children";
}

/** Kills all executions that a task run has started, also if this transition removes it. */
export function killNow(t: Transition, taskRun: TaskRun): void {
  const executionId = taskRun.decision?.executionId;
  const numbers = childNumbersOf(taskRun);
  if (typeof executionId === "string") t.emit({ type: "kill_child", executionId });
  else if (numbers) killFrom(t, taskRun, 0, numbers);
}

function killFrom(
  t: Transition,
  { ordinal }: Pick<TaskRun, "ordinal">,
  from: number,
  { executionId, madeAt, attempt, started }: ChildNames,
): void {
  const children = { executionId, madeAt, attempt, started };
  t.emit({ type: "kill_children", taskRun: ordinal, from, children });
}

/** Kills the executions of some stopped task runs and requests the kill of the next. Also after the end of this execution. */
export function killOrphans(t: Transition, { at, from }: EventOf<"orphans_kill_asked">): void {
  const orphaned = t.execution.taskRuns.filter((taskRun) =>
    taskRun.ordinal >= from && hasChildren(taskRun) && changedAt(taskRun.history) >= at &&
    STOPPED.has(currentState(taskRun.history))
  );
  for (const taskRun of orphaned.slice(0, KILLS_AT_ONCE)) killNow(t, taskRun);
  const next = orphaned[KILLS_AT_ONCE];
  if (next) t.emit({ type: "kill_orphans", at, from: next.ordinal });
}

/** Kills some of many executions and requests the kill of the next. Also after the end of this execution. */
export function applyKillRequest(
  t: Transition,
  { taskRun: ordinal, from, children: given }: EventOf<"children_kill_asked">,
): void {
  const taskRun = t.find(ordinal)?.taskRun;
  const children = given ?? (taskRun && childNumbersOf(taskRun));
  if (!children) return;
  const end = Math.min(from + KILLS_AT_ONCE, children.started);
  for (let index = from; index < end; index++) {
    t.emit({ type: "kill_child", executionId: childId({ ordinal }, children, index) });
  }
  if (end < children.started) killFrom(t, { ordinal }, end, children);
}

/** Counts executions that the commit of this transition creates; returns the outcome when all have ended. */
export function applyChildrenStart(
  t: Transition,
  event: EventOf<"children_started">,
): AttemptOutcome | undefined {
  const taskRun = t.find(event.taskRun)?.taskRun;
  if (!taskRun) return undefined;
  t.tree.starting.delete(taskRun.ordinal);
  const known = childNumbersOf(taskRun);
  const isExpected = isWaitingForEnds(taskRun) && (known?.started ?? 0) === event.from &&
    event.attempt === (known?.attempt ?? taskRun.attempts.length) && !known?.isOver;
  if (!isExpected) return undefined;
  const { total, madeAt, attempt, waits, transmitsFailed, passes } = event;
  const made = { executionId: t.execution.id, madeAt, attempt };
  const numbers = { total, ...made, waits, transmitsFailed, ended: {}, passes, ...known };
  return setNumbers(t, taskRun, { ...numbers, started: event.from + event.count });
}

/** Restarts some of many executions; returns the outcome when all have ended. */
export function applyChildrenRestart(
  t: Transition,
  event: EventOf<"children_restarted">,
): AttemptOutcome | undefined {
  const { begins, from, next, left, executions, attempt, taskRun: ordinal } = event;
  const taskRun = t.find(ordinal)?.taskRun;
  if (!taskRun) return undefined;
  t.tree.starting.delete(ordinal);
  const known = childNumbersOf(taskRun);
  const numbers = begins ?? known;
  const again = numbers?.again;
  const isExpected = isWaitingForEnds(taskRun) && attempt === taskRun.attempts.length &&
    (known === undefined) === (begins !== undefined);
  if (!isExpected || !numbers || numbers.isOver || again?.next !== from) return undefined;
  let former = again.former;
  for (const { former: end, ...each } of executions) {
    t.emit({ type: "restart_child", taskRun: ordinal, ...each });
    former = counted(former, end, 1);
  }
  return setNumbers(t, taskRun, {
    ...numbers,
    again: { next, left, running: again.running + executions.length, former },
  });
}

/** Counts the end of one of many executions; returns the outcome when it was the last. */
export function applyOneEnd(
  t: Transition,
  taskRun: TaskRun,
  event: EventOf<"child_ended">,
): AttemptOutcome | undefined {
  const numbers = childNumbersOf(taskRun);
  const { executionId, state, replaces, problem } = event;
  if (!numbers || !isWaitingForEnds(taskRun)) return undefined;
  const index = derivedIndex(executionId, numbers.madeAt, seedOf(taskRun.ordinal, numbers));
  if (index === undefined) return undefined;
  const ends = state === "RETRIED" ? numbers.ended : counted(numbers.ended, state, 1);
  const ended = replaces ? counted(ends, replaces, -1) : ends; // It had ended before and was restarted.
  logOneEnd(t, taskRun, { event, numbers, index });
  if (problem !== undefined) t.log("ERROR", problem, taskRun);
  const isBroken = numbers.isBroken || problem !== undefined;
  const isOver = numbers.isOver || isBroken || event.breaks || endsLoop(numbers, state);
  const after = { ...numbers, ended, ...afterEnd(numbers, event, index) };
  return setNumbers(t, taskRun, isOver ? { ...after, isOver, isBroken } : after);
}

/** Only of the first ones: a list of 10,000 items may fail for one reason. */
function logOneEnd(
  t: Transition,
  taskRun: TaskRun,
  { event, numbers, index }: {
    readonly event: EventOf<"child_ended">;
    readonly numbers: ChildNumbers;
    readonly index: number;
  },
): void {
  const logged = COPIED.reduce((sum, state) => sum + (numbers.ended[state] ?? 0), 0);
  // Executions that a Loop stops after its failure are not its cause.
  if (!event.report || numbers.isOver || logged > MAX_LOGGED_ENDS) return;
  if (logged < MAX_LOGGED_ENDS) {
    return logChildEnd(t, taskRun, { end: event, fails: numbers.transmitsFailed, iteration: index });
  }
  t.log(
    "WARN",
    `Further executions that have not succeeded are not listed: there are more than ${logged}`,
    taskRun,
  );
}

function afterEnd(
  { again }: ChildNumbers,
  { breaks, replaces }: EventOf<"child_ended">,
  index: number,
): Partial<ChildNumbers> {
  const ranAgain = again !== undefined && replaces !== undefined && index < again.next; // Otherwise a person restarted it.
  if (!ranAgain) return breaks ? { breaks } : {};
  const running = Math.max(0, again.running - 1);
  const former = again.former && counted(again.former, replaces, -1);
  return { ...breaks ? { breaks } : {}, again: { ...again, running, former } };
}

function counted(counts: ChildNumbers["ended"] = {}, state: State, by: 1 | -1): ChildNumbers["ended"] {
  return { ...counts, [state]: Math.max(0, (counts[state] ?? 0) + by) };
}

/** False for a task run whose end is decided and that only runs its `finally`. */
function isWaitingForEnds({ history, decision }: TaskRun): boolean {
  return currentState(history) === "RUNNING" && decision?.end === undefined;
}

/** True when a failed pass ends the Loop: its failures count for the Loop. */
function endsLoop({ passes, transmitsFailed }: ChildNumbers, state: State): boolean {
  return passes !== undefined && transmitsFailed && (state === "FAILED" || state === "KILLED");
}

function setNumbers(t: Transition, taskRun: TaskRun, numbers: ChildNumbers): AttemptOutcome | undefined {
  keep(t, taskRun, numbers);
  requestMore(t, taskRun, numbers);
  return outcomeOf(t, taskRun);
}

function seedOf(
  ordinal: number,
  { executionId, attempt }: Pick<ChildNames, "executionId" | "attempt">,
): string {
  return `${executionId}/${ordinal}/${attempt}`;
}

function keep(t: Transition, taskRun: TaskRun, numbers: ChildNumbers): void {
  taskRun.decision = { children: numbers as unknown as JsonObject };
  taskRun.outputs = numbers.passes ? passOutputs(numbers) : batchOutputs(numbers);
  t.touch(taskRun);
}

/** None without a batch. A child that nothing waits for counts as a success once it has been started. */
function batchOutputs(numbers: ChildNumbers): JsonObject {
  const { total, started, waits } = numbers;
  if (total === 0) return {};
  const iterations: JsonObject = waits
    ? { CREATED: total - started, RUNNING: underWay(numbers), ...endsOf(numbers) }
    : { RUNNING: 0, SUCCESS: started };
  return { numberOfBatches: total, iterations };
}

function passOutputs(numbers: ChildNumbers): JsonObject {
  const { total, started, isOver } = numbers;
  return {
    iterationCount: isOver ? started : total,
    runningIterations: underWay(numbers),
    terminatedIterations: Object.fromEntries(
      Object.entries(endsOf(numbers)).filter(([, count]) => count > 0),
    ),
  };
}

/** Ended executions by state, without those that run again. */
function endsOf({ ended, again }: ChildNumbers): Record<string, number> {
  const former = again?.former ?? {};
  const counts = Object.entries(ended).map(([state, count]) => [state, count - (former[state] ?? 0)]);
  return Object.fromEntries(counts);
}

/** The outcome once all have ended; if their outputs are collected, the command for it is emitted instead. */
function outcomeOf(t: Transition, taskRun: TaskRun): AttemptOutcome | undefined {
  const numbers = childNumbersOf(taskRun) as ChildNumbers;
  const { total, started, waits, isOver, passes, again } = numbers;
  const isLeft = !isOver && (started < total || again !== undefined && again.left > 0);
  if (isLeft || waits && underWay(numbers) > 0) return undefined;
  const state = endOf(numbers);
  if (!passes?.collects) return { state, outputs: taskRun.outputs };
  t.emit({ type: "collect_outputs", taskRun: taskRun.ordinal, attempt: taskRun.attempts.length, state });
  return undefined;
}

function endOf({ transmitsFailed, ended, isBroken }: ChildNumbers): AttemptOutcome["state"] {
  if (isBroken) return "FAILED";
  const worst = transmitsFailed ? COPIED.find((state) => (ended[state] ?? 0) > 0) : undefined;
  return worst ?? "SUCCESS";
}

/** States that the task run takes over from its executions, the worst first. */
export const COPIED = ["FAILED", "KILLED", "WARNING"] as const satisfies readonly State[];

function countOf(ended: Readonly<Record<string, number>>): number {
  return Object.values(ended).reduce((sum, count) => sum + count, 0);
}
