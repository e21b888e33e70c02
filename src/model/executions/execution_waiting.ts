/** Why an execution makes no progress: the reason, since when, and until when. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import { taskRunId } from "../../base/id.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Execution, TaskRun } from "./execution.ts";
import { changedAt, currentState, isEnded } from "./state.ts";

/** Why an attempt does not run yet on a worker. */
export interface WorkerWait {
  readonly group: string;
  /** Whether a worker of the group is connected; it has no room then. */
  readonly isConnected: boolean;
}

/** Facts that the execution itself does not contain. */
export interface WaitingFacts {
  /** For state QUEUED: running executions under the limit, executions ahead in the queue, and the limit. */
  readonly queue?: { readonly running: number; readonly ahead: number; readonly limit?: number };
  /** For state BREAKPOINT: the tasks that it stopped before. */
  readonly heldTasks?: readonly string[];
  /** For state RUNNING: attempts that wait for a worker, by the ordinals of their task runs. */
  readonly workers?: ReadonlyMap<number, WorkerWait>;
}

/** True for an execution that has not begun because its date has not come. */
export function isScheduled({ history, timers }: Execution): boolean {
  return currentState(history) === "CREATED" && timers.has("start");
}

/**
 * `{reason, since, …}`; `undefined` if the execution has ended or makes progress. Reasons: `SCHEDULED` and `TIMER` (`until`),
 * `QUEUED` (`ahead`, `running`, `limit`), `HELD` (the execution is paused), `PAUSED` (`taskId`, `taskRunId`, `until` if the
 * pause is limited), `BREAKPOINT` (`taskIds`), `RETRY` (`taskId`, `taskRunId`, `until`), `SUBFLOW` (`taskId`, `taskRunId`, and
 * `executionId`, or `total`, `started` and `ended` for a task with several executions), `WORKER` (`taskId`, `taskRunId`,
 * `group`, `isConnected`: whether a worker of the group is connected).
 */
export function waitingOf(execution: Execution, facts: WaitingFacts): JsonObject | undefined {
  const { history } = execution;
  switch (currentState(history)) {
    case "CREATED":
      return isScheduled(execution) ? waits("SCHEDULED", history, untilOf(execution, "start")) : undefined;
    case "QUEUED":
      return waits("QUEUED", history, { ...facts.queue });
    case "BREAKPOINT":
      return waits("BREAKPOINT", history, { taskIds: [...facts.heldTasks ?? []] });
    case "PAUSED":
      return execution.isHeld ? waits("HELD", history, {}) : firstOf(execution, "PAUSED", "PAUSED");
    case "RETRYING":
      return firstOf(execution, "RETRYING", "RETRY");
    case "RUNNING":
      return execution.isHeld ? undefined : whileRunning(execution, facts);
    default:
      return undefined;
  }
}

function firstOf(execution: Execution, state: "PAUSED" | "RETRYING", reason: string): JsonObject | undefined {
  const taskRun = execution.taskRuns.find(({ history }) => currentState(history) === state);
  return taskRun && ofTaskRun(execution, taskRun, reason);
}

/** The reason of a running execution; `undefined` if at least one of its tasks is working. */
function whileRunning(execution: Execution, { workers }: WaitingFacts): JsonObject | undefined {
  let waiting: JsonObject | undefined;
  for (const taskRun of execution.taskRuns) {
    if (isEnded(taskRun.history)) continue;
    const wait = workers?.get(taskRun.ordinal);
    if (wait) {
      waiting ??= { ...ofTaskRun(execution, taskRun, "WORKER"), ...wait };
      continue;
    }
    const reason = reasonOf(execution, taskRun);
    if (reason === "works") return undefined;
    if (reason === "SUBFLOW" || reason === "TIMER") waiting ??= ofTaskRun(execution, taskRun, reason);
  }
  return waiting;
}

function reasonOf(
  { timers }: Execution,
  { ordinal, decision, attempts, history }: TaskRun,
): "SUBFLOW" | "TIMER" | "works" | undefined {
  if (typeof decision?.executionId === "string" || manyOf(decision)) return "SUBFLOW";
  if (timers.has(`task/${ordinal}`)) return "TIMER";
  const last = attempts[attempts.length - 1];
  const isOpen = last !== undefined && !isEnded(last.history);
  return isOpen || currentState(history) === "CREATED" ? "works" : undefined;
}

function ofTaskRun(execution: Execution, taskRun: TaskRun, reason: string): JsonObject {
  const { taskId, ordinal, history, decision } = taskRun;
  const waiting = waits(reason, history, { taskId, taskRunId: taskRunId(execution.id, ordinal) });
  if (reason === "SUBFLOW") {
    Object.assign(waiting, manyOf(decision) ?? { executionId: String(decision?.executionId) });
  }
  return { ...waiting, ...untilOf(execution, `task/${ordinal}`) };
}

/** Counts of the child executions of a task run while some are running, including restarted ones. */
function manyOf(decision: JsonObject | undefined): JsonObject | undefined {
  const { children } = decision ?? {};
  if (!isJsonObject(children)) return undefined;
  const { total = 0, started = 0, ended: byState = {}, again = {} } = children;
  const ends = Object.values(isJsonObject(byState) ? byState : {}).reduce<number>(
    (sum, count) => sum + Number(count),
    0,
  );
  const ended = ends - Number(isJsonObject(again) ? again.running ?? 0 : 0);
  return Number(started) > ended ? { total, started, ended } : undefined;
}

function waits(reason: string, history: Execution["history"], more: JsonObject): JsonObject {
  return { reason, since: toIso(changedAt(history)), ...more };
}

function untilOf({ timers }: Execution, name: string): { until?: string } {
  const dueAt: Instant | undefined = timers.get(name);
  return dueAt === undefined ? {} : { until: toIso(dueAt) };
}
