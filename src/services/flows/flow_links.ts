/** The links of one flow to others: the flows that its tasks start, and those that its triggers wait for. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { FOR_EACH_ITEM } from "../../model/executions/for_each_item.ts";
import { canonicalType, type Flow, type FlowKey, type Task } from "../../model/flows/flow.ts";
import { isWithinNamespace } from "../../model/namespaces/namespace_name.ts";

/** The links of one flow revision, without names that are expressions. */
export interface FlowLinks {
  readonly revision: number;
  /** Flows that its tasks start. */
  readonly starts: readonly FlowKey[];
  /** Flows that its triggers wait for. */
  readonly awaits: readonly AwaitedFlows[];
}

/** A pattern for flows that a trigger waits for. */
export interface AwaitedFlows {
  readonly namespace?: string;
  /** How `namespace` is compared. */
  readonly comparison: "EQUALS" | "PREFIX" | "SUFFIX";
  readonly flowId?: string;
}

/** Kinds of tasks that start executions of another flow. */
const STARTING_TASKS: ReadonlySet<string> = new Set(["core.flow.Subflow", FOR_EACH_ITEM]);

const FLOW_TRIGGERS = new Set(["core.trigger.Flow", "core.models.triggers.types.Flow"]);
const COMPARISONS = ["EQUALS", "PREFIX", "SUFFIX"] as const;

/** The links of a flow. */
export function linksOf(flow: Flow): FlowLinks {
  const blocks = [flow.tasks, flow.errors, flow.finally, flow.afterExecution];
  const starts = blocks.flatMap((tasks) => tasks.flatMap(startedBy));
  const awaits = flow.triggers.filter(({ kind }) => FLOW_TRIGGERS.has(kind)).flatMap(({ properties }) =>
    awaitedBy(properties)
  );
  return { revision: flow.revision, starts, awaits };
}

/** Whether a flow of that definition has a trigger that waits for flows; cheaper than building it. */
export function hasFlowTrigger(definition: JsonObject): boolean {
  const triggers = objectsIn(ownProperty(definition, "triggers"));
  return triggers.some((trigger) => FLOW_TRIGGERS.has(canonicalType(literalOf(trigger, "type") ?? "")));
}

/** The flow that a task starts; `undefined` if its name is an expression. */
export function literalTarget({ properties }: Task): FlowKey | undefined {
  const namespace = literalOf(properties, "namespace"), id = literalOf(properties, "flowId");
  return namespace !== undefined && id !== undefined ? { namespace, id } : undefined;
}

/** True if an execution of the flow can fire a trigger that waits for `awaited`. */
export function isAwaited({ namespace, id }: FlowKey, awaited: AwaitedFlows): boolean {
  if (awaited.flowId !== undefined && awaited.flowId !== id) return false;
  if (awaited.namespace === undefined) return true;
  switch (awaited.comparison) {
    case "PREFIX":
      return isWithinNamespace(namespace, awaited.namespace);
    case "SUFFIX":
      return namespace.endsWith(awaited.namespace);
    case "EQUALS":
      return namespace === awaited.namespace;
  }
}

function startedBy(task: Task): FlowKey[] {
  const nested = [...task.blocks.values()].flatMap((tasks) => tasks.flatMap(startedBy));
  const target = STARTING_TASKS.has(task.kind) ? literalTarget(task) : undefined;
  return target ? [target, ...nested] : nested;
}

/** Empty for a trigger that names neither flow nor namespace: it waits for all flows, which is no dependency. */
function awaitedBy(properties: JsonObject): AwaitedFlows[] {
  const preconditions = ownProperty(properties, "preconditions");
  const flows = isJsonObject(preconditions) ? ownProperty(preconditions, "flows") : undefined;
  const entries = [...objectsIn(flows), ...objectsIn(ownProperty(properties, "dependsOn"))];
  const named = entries.flatMap((entry) => awaitedFlow(entry));
  return [...named, ...objectsIn(ownProperty(properties, "conditions")).flatMap(awaitedByCondition)];
}

function awaitedByCondition(condition: JsonObject): AwaitedFlows[] {
  const name = canonicalType(literalOf(condition, "type") ?? "").replace(/Condition$/, "").split(".").at(-1);
  if (name === "ExecutionFlow" || name === "ExecutionNamespace") return awaitedFlow(condition);
  return name === "Not" ? [] : objectsIn(ownProperty(condition, "conditions")).flatMap(awaitedByCondition);
}

function awaitedFlow(entry: JsonObject): AwaitedFlows[] {
  const namespace = literalOf(entry, "namespace"), flowId = literalOf(entry, "flowId");
  if (namespace === undefined && flowId === undefined) return [];
  const written = literalOf(entry, "comparison") ??
    (ownProperty(entry, "prefix") === true ? "PREFIX" : "EQUALS");
  const comparison = COMPARISONS.find((candidate) => candidate === written) ?? "EQUALS";
  return [{ namespace, flowId, comparison }];
}

/** The objects of a list, or of a map. */
function objectsIn(value: JsonValue | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.filter(isJsonObject);
  return isJsonObject(value) ? Object.values(value).filter(isJsonObject) : [];
}

function literalOf(properties: JsonObject, name: string): string | undefined {
  const value = ownProperty(properties, name);
  return typeof value === "string" && !value.includes("{{") ? value : undefined;
}
