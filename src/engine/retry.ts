/** When a failed attempt is tried again, and when a failed execution is started over. */
import type { Instant } from "../base/clock.ts";
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import type { RetryPolicy } from "../model/flows/flow.ts";
import { startedAt } from "../model/executions/state.ts";
import { countedAttempts } from "./attempts.ts";
import type { FlowPlan } from "./plan.ts";
import type { TaskPlace } from "./task_place.ts";

/**
 * The policy for a task: its own, else that of the nearest task around it, else the flow's. One that starts the whole
 * execution over is not for a failure that the task allows, unless it is the task's own.
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
 * Wait before the attempt after number `attempt` (from 1), in milliseconds. A random one is spread by `seed`, so that the
 * same execution always waits the same time.
 */
function retryDelayMs(policy: RetryPolicy, attempt: number, seed: string): number {
  const { type, intervalMs, maxIntervalMs = Infinity, delayFactor } = policy;
  if (type === "constant") return intervalMs;
  if (type === "exponential") return Math.min(maxIntervalMs, intervalMs * delayFactor ** (attempt - 1));
  const span = Math.max(0, (maxIntervalMs === Infinity ? intervalMs : maxIntervalMs) - intervalMs);
  return Math.round(intervalMs + span * fractionOf(`${seed}/${attempt}`));
}

/** When the task run is tried again; `undefined` when no retry is left. */
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

/** When the execution that takes this one's place starts; `undefined` when there is to be none. */
export function nextExecutionAt(
  policy: RetryPolicy,
  execution: Execution,
  now: Instant,
): Instant | undefined {
  const { attemptNumber, originalCreatedAt } = execution;
  const first = originalCreatedAt ?? startedAt(execution.history);
  const at = now + retryDelayMs(policy, attemptNumber, execution.originalId);
  const isOver = attemptNumber >= (policy.maxAttempts ?? Infinity) ||
    policy.maxDurationMs !== undefined && at > first + policy.maxDurationMs;
  return isOver ? undefined : at;
}

/** A number in [0, 1) that depends on the text alone (FNV-1a). */
function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash / 2 ** 32;
}
