/** `preconditions` of a Flow trigger: executions of other flows that it waits for. */
import { type JsonObject, objectsOf, ownProperty, stringifyJson } from "../base/json.ts";
import type { PropertySchemas } from "../model/flows/schema.ts";
import { FIELD_COMPARISONS } from "../model/triggers/field_comparisons.ts";
import type { ConditionPart, ConditionScope, ConditionWindow } from "../model/triggers/trigger_catalog.ts";
import { hasLabels, textOf, textsOf } from "./conditions/properties.ts";
import { filterPart } from "./field_filter.ts";
import { stateList } from "./shared_properties.ts";
import { TIME_WINDOW, windowStart } from "./time_window.ts";

const UPSTREAM_FLOW: PropertySchemas = Object.freeze({
  namespace: { type: "string", required: true, description: "Namespace of the flow, or of all flows." },
  flowId: { type: "string", description: "Id of the flow." },
  states: stateList("States in which an execution counts."),
  labels: { type: "map", orList: true, description: "Labels that an execution must have." },
});

const FIELD_FILTER: PropertySchemas = Object.freeze({
  field: {
    type: "string",
    required: true,
    values: ["FLOW_ID", "NAMESPACE", "STATE", "EXPRESSION"],
    description: "What is compared.",
  },
  type: {
    type: "string",
    required: true,
    values: [...FIELD_COMPARISONS.keys()],
    description: "How it is compared.",
  },
  value: { type: "string", description: "Value to compare with, or the expression." },
  values: {
    type: "list",
    items: { type: "string", description: "A value." },
    description: "Values to compare with, for `IN` and `NOT_IN`.",
  },
});

const FILTER_GROUP: PropertySchemas = Object.freeze({
  id: { type: "string", required: true, description: "Name of the filter." },
  operand: {
    type: "string",
    values: ["AND", "OR"],
    default: "AND",
    description: "Whether all comparisons must hold, or one of them.",
  },
  filters: {
    type: "list",
    required: true,
    items: { type: "object", properties: FIELD_FILTER, description: "A comparison." },
    description: "Comparisons.",
  },
});

/** Members of `preconditions`. */
export const PRECONDITIONS: PropertySchemas = Object.freeze({
  id: { type: "string", required: true, description: "Name of the preconditions, unique within the flow." },
  flows: {
    type: "list",
    items: { type: "object", properties: UPSTREAM_FLOW, description: "A flow." },
    description: "Flows of which each must have an execution in the window.",
  },
  where: {
    type: "list",
    items: { type: "object", properties: FILTER_GROUP, description: "A filter." },
    description: "Filters of which each must be met by an execution in the window.",
  },
  timeWindow: { type: "object", properties: TIME_WINDOW, description: "Time within which they must be met." },
  resetOnSuccess: {
    type: "boolean",
    default: true,
    description: "Whether everything must be met again after the trigger has fired.",
  },
  description: { type: "string", description: "What the preconditions are for, as Markdown." },
});

/**
 * The condition window of preconditions: an execution of each flow, and one for each filter. `states` are those that count
 * for a flow that names none, and for filters. @throws Error a member is invalid
 */
export function preconditionsOf(preconditions: JsonObject, states: ReadonlySet<string>): ConditionWindow {
  const flows = objectsOf(ownProperty(preconditions, "flows"));
  const filters = objectsOf(ownProperty(preconditions, "where"));
  const parts = new Map<string, ConditionPart>();
  // Named by their content: a met part does not count for another part at its position.
  for (const flow of flows) parts.set(`flow ${stringifyJson(flow)}`, flowPart(flow, states));
  for (const filter of filters) {
    const part = filterPart(filter);
    parts.set(`filter ${stringifyJson(filter)}`, (scope) => isIn(states, scope) && part(scope));
  }
  return {
    id: textOf(preconditions, "id"),
    parts,
    outputs: "merged",
    resetOnSuccess: textOf(preconditions, "resetOnSuccess") !== "false",
    from: windowStart(preconditions),
  };
}

function isIn(states: ReadonlySet<string>, { execution }: ConditionScope): boolean {
  return execution !== undefined && states.has(execution.state);
}

function flowPart(flow: JsonObject, defaults: ReadonlySet<string>): ConditionPart {
  const namespace = textOf(flow, "namespace"), flowId = textOf(flow, "flowId");
  const states = new Set(textsOf(flow, "states") ?? defaults), labels = ownProperty(flow, "labels");
  return ({ execution }) =>
    execution !== undefined && execution.namespace === namespace &&
    (flowId === "" || execution.id === flowId) && states.has(execution.state) &&
    hasLabels(execution, labels);
}
