/** The links of one flow to others: the flows that its tasks start, and those that its triggers wait for. */
import { type JsonObject, objectsOf, ownProperty } from "../../base/json.ts";
import { FOR_EACH_ITEM } from "../../model/executions/for_each_item.ts";
import { canonicalType, type Flow, type FlowKey, type Task } from "../../model/flows/flow.ts";
import { awaitedBy, type AwaitedFlows, literalOf } from "./awaited_flows.ts";

/** The links of one flow revision, without names that are expressions. */
export interface FlowLinks {
  readonly revision: number;
  /** Flows that its tasks start. */
  readonly starts: readonly FlowKey[];
  /** Flows that its triggers wait for, each on its own. */
  readonly awaits: readonly AwaitedFlows[];
}

/** Kinds of tasks that start executions of another flow. */
export const STARTING_TASKS: ReadonlySet<string> = new Set(["core.flow.Subflow", FOR_EACH_ITEM]);

const FLOW_TRIGGERS = new Set(["core.trigger.Flow", "core.models.triggers.types.Flow"]);

/** The links of a flow. */
export function linksOf(flow: Flow): FlowLinks {
  const blocks = [flow.tasks, flow.errors, flow.finally, flow.afterExecution];
  const starts = blocks.flatMap((tasks) => tasks.flatMap(startedBy));
  const awaits = flow.triggers.filter(({ kind }) => FLOW_TRIGGERS.has(kind))
    .map(({ properties }) => awaitedBy(properties));
  return { revision: flow.revision, starts, awaits };
}

/** Whether a flow of that definition has a trigger that waits for flows; cheaper than building it. */
export function hasFlowTrigger(definition: JsonObject): boolean {
  const triggers = objectsOf(ownProperty(definition, "triggers"));
  return triggers.some((trigger) => FLOW_TRIGGERS.has(canonicalType(literalOf(trigger, "type") ?? "")));
}

/** The flow that a task starts; `undefined` if its name is an expression. */
export function literalTarget({ properties }: Task): FlowKey | undefined {
  const namespace = literalOf(properties, "namespace"), id = literalOf(properties, "flowId");
  return namespace !== undefined && id !== undefined ? { namespace, id } : undefined;
}

function startedBy(task: Task): FlowKey[] {
  const nested = [...task.blocks.values()].flatMap((tasks) => tasks.flatMap(startedBy));
  const target = STARTING_TASKS.has(task.kind) ? literalTarget(task) : undefined;
  return target ? [target, ...nested] : nested;
}
