/** Variables of the executions that a Flow trigger reacts to. */
import { toIso } from "../base/time/clock.ts";
import { isJsonObject, type JsonObject, ownProperty, setOwnProperty } from "../base/json.ts";
import { holdsEncrypted } from "../model/flows/input_value.ts";
import type { Announcement } from "../model/triggers/announcement.ts";
import type { Execution, TaskRun } from "../model/executions/execution.ts";
import { changedAt, currentState, isEnded, startedAt, type State } from "../model/executions/state.ts";
import type { ObservedExecution, UpstreamOutputs } from "../model/triggers/trigger_catalog.ts";

/** Variables that the tasks of an execution see; each is built when it is read. */
export interface ExecutionView {
  readonly execution: JsonObject;
  /** As a tree: `system.correlationId` is `system: { correlationId }`. */
  readonly labels: JsonObject;
  /** Outputs of its tasks. */
  readonly outputs: JsonObject;
}

/** The execution that a trigger reacts to. */
export interface Upstream {
  readonly announcement: Announcement;
  readonly execution: Execution;
  readonly view: ExecutionView;
}

/** Another execution of a window, and how its outputs are merged. */
export interface MetUpstream {
  readonly execution: Pick<Execution, "namespace" | "flowId" | "flowRevision" | "outputs">;
  readonly outputs: UpstreamOutputs;
}

/** The variable `trigger`; `others` in the order in which they were counted. */
export function triggerVariables(
  { announcement: { state }, execution, view }: Upstream,
  others: readonly MetUpstream[] = [],
): JsonObject {
  const { id: executionId, namespace, flowId, flowRevision, history } = execution;
  const variables: JsonObject = { executionId, namespace, flowId, flowRevision, state };
  variables.startDate = toIso(startedAt(history));
  if (isEnded(history)) variables.endDate = toIso(changedAt(history));
  const failed = execution.taskRuns.find((taskRun) => currentState(taskRun.history) === "FAILED");
  const last = execution.taskRuns.at(-1);
  if (failed) variables.firstFailedTaskId = failed.taskId;
  if (last) variables.lastTaskId = last.taskId;
  variables.executionLabels = withoutCorrelation(view.labels);
  variables.outputs = outputsOf(execution, others);
  return variables;
}

function outputsOf(execution: Execution, others: readonly MetUpstream[]): JsonObject {
  const merged: JsonObject = {};
  const named: JsonObject = {};
  for (const { execution: other, outputs: form } of others) {
    const outputs = other.outputs ?? {};
    if (form === "merged") {
      addOutputs(merged, outputs);
      continue;
    }
    setOwnProperty(named, other.flowId, outputs);
    const known = ownProperty(named, other.namespace), ofNamespace = isJsonObject(known) ? { ...known } : {};
    setOwnProperty(ofNamespace, other.flowId, outputs);
    setOwnProperty(named, other.namespace, ofNamespace);
  }
  addOutputs(merged, execution.outputs ?? {});
  for (const name of Object.keys(named)) setOwnProperty(merged, name, ownProperty(named, name) ?? {});
  return merged;
}

/** Merges maps of the same name. */
function addOutputs(merged: JsonObject, outputs: JsonObject): void {
  for (const name of Object.keys(outputs)) {
    const value = ownProperty(outputs, name) ?? null, known = ownProperty(merged, name);
    if (!isJsonObject(value) || !isJsonObject(known) || holdsEncrypted({ value, known })) {
      setOwnProperty(merged, name, value);
      continue;
    }
    const joined = { ...known };
    addOutputs(joined, value);
    setOwnProperty(merged, name, joined);
  }
}

/** The started execution has its own correlation id. */
function withoutCorrelation(labels: JsonObject): JsonObject {
  const { system, ...others } = labels;
  if (!isJsonObject(system)) return labels;
  const { correlationId: _, ...rest } = system;
  return Object.keys(rest).length > 0 ? { ...others, system: rest } : others;
}

/** The variables of conditions besides `trigger`; `outputs` are those of the flow and of its tasks. */
export function conditionVariables({ announcement, execution, view }: Upstream): JsonObject {
  const { id: executionId, namespace, flowId, flowRevision } = execution;
  const { state } = announcement;
  return {
    ...{ executionId, namespace, flowId, flowRevision, state },
    execution: { ...view.execution, state },
    inputs: execution.inputs ?? {},
    labels: view.labels,
    outputs: { ...view.outputs, ...execution.outputs },
    hasRetryAttempt: retriedStatesOf(execution.taskRuns).length > 0,
  };
}

/** The variables of labels and inputs of the start besides `trigger`: as the tasks of the execution see them at its end. */
export function startVariables({ execution: { inputs }, view }: Upstream): JsonObject {
  return { execution: view.execution, outputs: view.outputs, inputs: inputs ?? {}, labels: view.labels };
}

/** The scope that condition types test. */
export function observed(
  { announcement, execution }: Pick<Upstream, "announcement" | "execution">,
): ObservedExecution {
  const { id: executionId, namespace, flowId: id, labels, outputs, taskRuns } = execution;
  return {
    executionId,
    namespace,
    id,
    state: announcement.state,
    labels,
    isWithoutOutputs: outputs === undefined || Object.keys(outputs).length === 0,
    retriedStates: retriedStatesOf(taskRuns),
  };
}

/** The states of attempts that were retried. */
export function retriedStatesOf(taskRuns: readonly TaskRun[]): State[] {
  return taskRuns.flatMap(({ attempts }) =>
    attempts.slice(0, -1).map(({ history }) => currentState(history))
  );
}
