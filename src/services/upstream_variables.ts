/** What a Flow trigger knows of the executions that it reacts to, as expressions read it. */
import { type JsonObject, setOwnProperty } from "../base/json.ts";
import type { Announcement } from "../model/announcement.ts";
import type { Execution, TaskRun } from "../model/execution.ts";
import type { Label } from "../model/label.ts";
import { currentState, type State } from "../model/state.ts";
import type { ObservedExecution } from "../model/trigger_catalog.ts";

/** An execution in the state that is reacted to. */
export interface Upstream {
  readonly announcement: Announcement;
  readonly execution: Execution;
}

/** What expressions read as `trigger`; `others` are executions whose outputs count too, each under the id of its flow. */
export function triggerVariables(
  { announcement, execution }: Upstream,
  others: readonly Execution[] = [],
): JsonObject {
  const { id: executionId, namespace, flowId, flowRevision } = execution;
  const outputs: JsonObject = { ...execution.outputs };
  for (const other of others) setOwnProperty(outputs, other.flowId, other.outputs ?? {});
  return { executionId, namespace, flowId, flowRevision, state: announcement.state, outputs };
}

/** What conditions read of the execution itself, beside `trigger`. */
export function conditionVariables(upstream: Upstream): JsonObject {
  const { labels, retriedStates } = observed(upstream);
  const { outputs, ...variables } = triggerVariables(upstream);
  return {
    ...variables,
    outputs: outputs ?? {},
    labels: labelMap(labels),
    hasRetryAttempt: retriedStates.length > 0,
  };
}

/** What labels and inputs of the start read of the execution itself, beside `trigger`: as its own tasks would at its end. */
export function startVariables({ inputs, labels }: Execution, taskOutputs: JsonObject): JsonObject {
  return { outputs: taskOutputs, inputs: inputs ?? {}, labels: labelMap(labels) };
}

function labelMap(labels: readonly Label[]): JsonObject {
  const map: JsonObject = {};
  for (const { key, value } of labels) setOwnProperty(map, key, value);
  return map;
}

/** What conditions look at. */
export function observed({ announcement, execution }: Upstream): ObservedExecution {
  const { id: executionId, namespace, flowId: id, labels, taskRuns } = execution;
  return {
    executionId,
    namespace,
    id,
    state: announcement.state,
    labels,
    retriedStates: retriedStatesOf(taskRuns),
  };
}

/** How those attempts ended that others followed. */
export function retriedStatesOf(taskRuns: readonly TaskRun[]): State[] {
  return taskRuns.flatMap(({ attempts }) =>
    attempts.slice(0, -1).map(({ history }) => currentState(history))
  );
}
