/** Attempts: the final state of an outcome, the retry of a failed attempt, the replacement of a failed execution. */
import type { Instant } from "../base/time/clock.ts";
import { derivedId } from "../base/crypto/derived_id.ts";
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import { changedAt, currentState, isEnded, startedAt, type State } from "../model/executions/state.ts";
import type { RetryPolicy, Task } from "../model/flows/flow.ts";
import type { FlowPlan } from "./plan.ts";
import type { TaskPlace } from "./branches.ts";

/** The state of an outcome after `allowFailure` and `allowWarning`. */
export function finalState(task: Task, state: State): State {
  const allowed = state === "FAILED" && task.allowFailure ? "WARNING" : state;
  return allowed === "WARNING" && task.allowWarning ? "SUCCESS" : allowed;
}

/** True when the task run stops its sequence. */
export function isStopping(taskRun: TaskRun): boolean {
  const state = currentState(taskRun.history);
  return state === "FAILED" || state === "KILLED" || state === "CANCELLED" || state === "RETRIED";
}

/** The number of attempts that count for a retry: those that a crash interrupted do not. */
export function countedAttempts({ attempts }: TaskRun): number {
  return attempts.filter(({ history }) => currentState(history) !== "RESUBMITTED").length;
}

/** True while an attempt of the task run is open. */
export function hasOpenAttempt({ attempts }: TaskRun): boolean {
  const last = attempts[attempts.length - 1];
  return last !== undefined && !isEnded(last.history);
}

/**
 * The policy for a task: its own, else that of the nearest ancestor, else the flow's. An inherited policy that replaces
 * the execution does not apply to a task that allows its failure.
 */
export function retryPolicyOf(plan: FlowPlan, place: TaskPlace): RetryPolicy | undefined {
  if (place.task.retry) return place.task.retry;
  const inherited = inheritedPolicy(plan, place);
  const startsOver = inherited?.behavior === "CREATE_NEW_EXECUTION";
  return startsOver && place.task.allowFailure ? undefined : inherited;
}

function inheritedPolicy({ flow }: FlowPlan, { parent }: TaskPlace): RetryPolicy | undefined {
  for (let at = parent; at; at = at.parent) if (at.task.retry) return at.task.retry;
  return flow.retry;
}

/**
 * Wait after attempt number `attempt` (from 1), in milliseconds. A random wait follows from `seed`, so that the same
 * execution always waits the same time.
 */
function retryDelayMs(policy: RetryPolicy, attempt: number, seed: string): number {
  const { type, intervalMs, maxIntervalMs = Infinity, delayFactor } = policy;
  if (type === "constant") return intervalMs;
  if (type === "exponential") return Math.min(maxIntervalMs, intervalMs * delayFactor ** (attempt - 1));
  const span = Math.max(0, (maxIntervalMs === Infinity ? intervalMs : maxIntervalMs) - intervalMs);
  return Math.round(intervalMs + span * fractionOf(`${seed}/${attempt}`));
}

/** When the task run is retried; `undefined` when no retry is left. */
export function nextAttemptAt(
  policy: RetryPolicy,
  taskRun: TaskRun,
  { execution, now }: { readonly execution: Execution; readonly now: Instant },
): Instant | undefined {
  const attempts = countedAttempts(taskRun);
  const [first] = taskRun.attempts;
  const at = now + retryDelayMs(policy, attempts, `${execution.id}/${taskRun.ordinal}`);
  const isOver = attempts >= (policy.maxAttempts ?? Infinity) ||
    policy.maxDurationMs !== undefined && first !== undefined &&
      at > startedAt(first.history) + policy.maxDurationMs;
  return isOver ? undefined : at;
}

/** When the execution that replaces this one starts; `undefined` when no retry is left. */
export function nextExecutionAt(
  policy: RetryPolicy,
  execution: Execution,
  now: Instant,
): Instant | undefined {
  const { attemptNumber } = execution;
  const at = now + retryDelayMs(policy, attemptNumber, execution.originalId);
  const isOver = attemptNumber >= (policy.maxAttempts ?? Infinity) ||
    policy.maxDurationMs !== undefined && at > firstStartOf(execution) + policy.maxDurationMs;
  return isOver ? undefined : at;
}

/** The start of the first execution in a series of retries. */
export function firstStartOf({ originalCreatedAt, history }: Execution): Instant {
  return originalCreatedAt ?? startedAt(history);
}

/** The id of the execution that replaces a RETRIED one: it is derived from that one, so that it can always be found. */
export function successorId({ id, history }: Pick<Execution, "id" | "history">): string {
  return derivedId(changedAt(history), 0, `${id}/retry`);
}

/** A number in [0, 1) that depends on the text alone (FNV-1a). */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}
