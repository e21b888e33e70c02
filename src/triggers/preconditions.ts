/** Which executions of other flows a Flow trigger waits for. */
import type { PropertySchemas } from "../model/schema.ts";
import { stateList } from "./state_lists.ts";
import { TIME_WINDOW } from "./time_window.ts";

const UPSTREAM_FLOW: PropertySchemas = Object.freeze({
  namespace: { type: "string", required: true, description: "Namespace of the flow, or of all flows." },
  flowId: { type: "string", description: "Id of the flow." },
  states: stateList("States in which an execution counts."),
  labels: { type: "map", orList: true, description: "Labels that an execution must have." },
});

const FILTER_TYPES = [
  ...["EQUAL_TO", "NOT_EQUAL_TO", "IN", "NOT_IN", "IS_TRUE", "IS_FALSE", "IS_NULL", "IS_NOT_NULL"],
  ...["STARTS_WITH", "ENDS_WITH", "REGEX", "CONTAINS"],
];

const FIELD_FILTER: PropertySchemas = Object.freeze({
  field: {
    type: "string",
    required: true,
    values: ["FLOW_ID", "NAMESPACE", "STATE", "EXPRESSION"],
    description: "What is compared.",
  },
  type: { type: "string", required: true, values: FILTER_TYPES, description: "How it is compared." },
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
