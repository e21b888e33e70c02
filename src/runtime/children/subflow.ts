/** Executions that tasks start: the rendered properties of a Subflow task, and the execution created from them. */
import type { Instant } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { whenKnown } from "../../base/when_known.ts";
import type { Command, Event } from "../../engine/events.ts";
import type { Execution, ExecutionTrigger, TaskRun } from "../../model/executions/execution.ts";
import type { Task } from "../../model/flows/flow.ts";
import {
  CORRELATION_LABEL,
  isSystemLabel,
  type Label,
  mergeLabels,
  readLabels,
} from "../../model/flows/label.ts";
import type { TaskType } from "../../model/tasks/task_catalog.ts";
import type { LiveExecution, Receipt } from "../live/live_execution.ts";
import type { NewExecution } from "../live/messages.ts";

/** The start of a flow by a task. */
export interface SubflowRequest {
  readonly id?: string;
  readonly tenant: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly revision?: number;
  readonly inputs: JsonObject;
  readonly labels: readonly Label[];
  readonly trigger?: ExecutionTrigger;
  readonly scheduleDate?: Instant;
  readonly awaitedBy?: Execution["awaitedBy"];
}

/** Creates executions of other flows; synchronously if the flow is in memory. @throws DomainError the flow is unknown or disabled, or an input is invalid */
export type CreateChild = (request: SubflowRequest) => NewExecution | Promise<NewExecution>;

/** The event of a task run that starts executions, and the executions. */
export interface ChildStart {
  readonly event: Event;
  readonly receipt?: Receipt;
}

/** The command to start an execution. */
export type StartChild = Extract<Command, { type: "start_child" }>;

/** Renders the task and creates its execution, synchronously if no data must be fetched. @throws Error the attempt fails with the message */
export function startChild(
  live: LiveExecution,
  command: StartChild,
  { type, create, taskRun }: {
    readonly type: TaskType;
    readonly create: CreateChild;
    readonly taskRun: TaskRun;
  },
): ChildStart | Promise<ChildStart> {
  const start = (properties: JsonObject) => {
    const waits = isFlagSet(properties.wait, true);
    const created = create(requestOf(live.execution, command, properties, waits));
    return whenKnown(created, (known) => startOf(command, known, waits));
  };
  const properties = live.renderer.properties(command.task, type, taskRun);
  return whenKnown(properties, start);
}

function startOf({ taskRun }: StartChild, created: NewExecution, waits: boolean): ChildStart {
  const { id: executionId } = created.execution;
  return {
    event: { type: "child_started", taskRun, executionId, waits },
    receipt: { newExecutions: [created] },
  };
}

/** The start that rendered properties describe. */
export function requestOf(
  execution: Execution,
  { task, taskRun }: StartChild,
  properties: JsonObject,
  waits: boolean,
): SubflowRequest {
  const { tenant, id, namespace } = execution;
  const { revision, scheduleDate, inputs } = properties;
  return {
    tenant,
    namespace: String(properties.namespace ?? namespace),
    flowId: String(properties.flowId ?? ""),
    revision: revision === undefined || revision === null ? undefined : Number(revision),
    inputs: isJsonObject(inputs) ? inputs : {},
    labels: labelsOf(execution, properties),
    trigger: triggerOf(execution, task),
    scheduleDate: dateOf(scheduleDate),
    awaitedBy: waits ? { executionId: id, taskRun } : undefined,
  };
}

/** The task that starts an execution, as its trigger. */
export function triggerOf(
  { id: executionId, namespace, flowId, flowRevision }: Execution,
  { id, type }: Task,
): ExecutionTrigger {
  return { id, type, variables: { executionId, namespace, flowId, flowRevision } };
}

/** Inherited labels if requested, then the given ones, and always the correlation id. Other system labels are left out. */
function labelsOf(execution: Execution, properties: JsonObject): Label[] {
  const inherited = isFlagSet(properties.inheritLabels, false)
    ? execution.labels.filter(({ key }) => !isSystemLabel(key))
    : [];
  const given = readLabels(properties.labels).filter(({ key }) => !isSystemLabel(key));
  const correlation = execution.labels.filter(({ key }) => key === CORRELATION_LABEL);
  return mergeLabels(mergeLabels(inherited, given), correlation);
}

function dateOf(value: JsonValue | undefined): Instant | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const at = Date.parse(String(value));
  if (Number.isFinite(at)) return at;
  throw new Error(
    `Invalid scheduleDate "${String(value)}": it must be an ISO 8601 date and time with a zone`,
  );
}
