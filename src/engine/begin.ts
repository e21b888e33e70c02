/** How a task run begins: its condition, the properties it decides by, its first attempt. */
import { readDuration } from "../base/time/duration.ts";
import type { JsonObject } from "../base/json.ts";
import type { TaskRun } from "../model/executions/execution.ts";
import { fixtureOf, type Fixtures } from "../model/executions/fixtures.ts";
import type { Task } from "../model/flows/flow.ts";
import { currentState } from "../model/executions/state.ts";
import type { Beginning, Flowable } from "./flowable/flowable.ts";
import { FLOWABLES } from "./flowable/registry.ts";
import type { TaskPlace } from "./branches.ts";
import type { Transition } from "./transition.ts";

/** Begins a task run that was created or restarted. */
export function beginTaskRun(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const { task } = place;
  const hasCondition = task.runIf !== undefined || task.conditions !== undefined;
  if (hasCondition && awaitsCondition(taskRun)) {
    t.emit({ type: "render_condition", taskRun: taskRun.ordinal, task });
  } else startWork(t, taskRun, place);
}

/** True for a task run whose condition must be rendered: before its first attempt and after each restart, but not before a retry. */
export function awaitsCondition({ history, attempts }: TaskRun): boolean {
  const state = currentState(history);
  return state === "RESTARTED" || state === "CREATED" && attempts.length === 0;
}

/** Starts an attempt, or renders the properties that a flowable task decides by; a fixture replaces both. */
export function startWork(t: Transition, taskRun: TaskRun, { task }: TaskPlace): void {
  const { ordinal } = taskRun;
  const { fixtures } = t.execution;
  if (fixtures !== undefined && startFixture(t, { taskRun, task }, fixtures)) return;
  const flowable = FLOWABLES.get(task.kind);
  if (flowable && !flowable.startsExecutions) {
    t.move(taskRun, "RUNNING");
    t.emit({ type: "render_decision", taskRun: ordinal, task, properties: renderedFirst(flowable, task) });
    return;
  }
  t.startAttempt(taskRun);
  if (flowable) startChild(t, taskRun, task);
  else t.emit({ type: "run_attempt", taskRun: ordinal, task, attemptNumber: taskRun.attempts.length });
}

/** Starts an attempt that ends as its fixture says; false for a task without one. */
function startFixture(
  t: Transition,
  { taskRun, task }: { readonly taskRun: TaskRun; readonly task: Task },
  fixtures: Fixtures,
): boolean {
  const fixture = fixtureOf(fixtures, taskRun);
  if (!fixture) return false;
  t.startAttempt(taskRun);
  t.log("INFO", "This task is not run: a fixture gives its state and its outputs", taskRun);
  const { ordinal, attempts: { length: attempt } } = taskRun;
  t.emit({ type: "render_fixture", taskRun: ordinal, task, fixture, attempt });
  return true;
}

function renderedFirst({ renders = NOTHING }: Flowable, { timeout }: Task): readonly string[] {
  return timeout === undefined || renders.includes("timeout") ? renders : [...renders, "timeout"];
}

const NOTHING: readonly string[] = [];

/** Drops the decision of an earlier attempt, except for the execution that a restart runs again. */
function startChild(t: Transition, taskRun: TaskRun, task: Task): void {
  const wanted = taskRun.decision?.restarts;
  taskRun.decision = wanted === undefined ? undefined : { restarts: wanted };
  const restarts = typeof wanted === "string" ? wanted : undefined;
  t.emit({ type: "start_child", taskRun: taskRun.ordinal, task, restarts });
}

/** The decision of a flowable task; an error it throws is its failure. */
export function decide(flowable: Flowable, properties: JsonObject, place: TaskPlace, now: number): Beginning {
  try {
    const limit = limitFrom(flowable, properties);
    const beginning = flowable.begin?.(properties, now, place) ?? {};
    return limit ? { ...beginning, decision: { ...beginning.decision, ...limit } } : beginning;
  } catch (error) {
    return { failure: (error as Error).message };
  }
}

/** The time limit of its children, stored with the decision; a type that renders `timeout` itself has none here. */
function limitFrom(
  { renders }: Flowable,
  { timeout }: JsonObject,
): { readonly timeoutMs: number } | undefined {
  if (timeout === undefined || timeout === null || renders?.includes("timeout")) return undefined;
  const timeoutMs = readDuration(timeout);
  if (timeoutMs !== undefined && timeoutMs > 0) return { timeoutMs };
  throw new Error(
    `Invalid timeout "${
      String(timeout)
    }": it must be an ISO 8601 duration such as PT10S, or a number of seconds`,
  );
}

/** Opens the frame for the children of a flowable task run. */
export function enterChildren(t: Transition, taskRun: TaskRun, place: TaskPlace): void {
  const branches = FLOWABLES.get(place.task.kind)?.branches?.(place, taskRun.decision ?? {});
  if (branches) t.touchedFrames.push(t.tree.addFrame(taskRun, place, branches));
}
