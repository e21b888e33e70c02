/** What a flow document, its tasks, triggers, inputs and outputs may hold, as property schemas. */
import { LOG_LEVELS } from "../model/flow.ts";
import type { PropertySchemas } from "../model/schema.ts";

/** Longest `displayName`. */
const MAX_DISPLAY_NAME = 64;
/** Longest webhook key. */
const MAX_WEBHOOK_KEY = 256;

/** The flow document. Ids, namespace and labels are checked apart; managed members are accepted and ignored. */
export const FLOW_PROPERTIES: PropertySchemas = Object.freeze({
  id: { type: "any", description: "Name of the flow within its namespace; never changes." },
  namespace: { type: "any", description: "Dotted owner of the flow; never changes." },
  description: { type: "string", description: "What the flow is for, as Markdown." },
  labels: { type: "any", description: "Tags that executions inherit: a map, or a list of key and value." },
  inputs: { type: "list", description: "Typed arguments of an execution." },
  outputs: { type: "list", description: "Results of an execution." },
  variables: { type: "map", description: "Constants, read as vars.name." },
  tasks: { type: "any", description: "What is done, in order." },
  errors: { type: "tasks", description: "Run when a task has failed." },
  finally: { type: "tasks", description: "Run after the tasks and errors, whatever happened." },
  triggers: { type: "list", description: "What starts executions." },
  disabled: { type: "boolean", default: false, description: "No execution can be started." },
  revision: { type: "any", description: "Set by the server." },
  deleted: { type: "any", description: "Set by the server." },
  tenantId: { type: "any", description: "Set by the server." },
  updated: { type: "any", description: "Set by the server." },
});

/** Members of the document that the server manages; what is submitted is ignored. */
export const MANAGED_PROPERTIES: ReadonlySet<string> = new Set([
  "revision",
  "deleted",
  "tenantId",
  "updated",
]);

/** Properties of every task. */
export const TASK_PROPERTIES: PropertySchemas = Object.freeze({
  id: { type: "any", description: "Name of the task, unique within the flow." },
  type: { type: "any", description: "Type of the task." },
  description: { type: "string", description: "What the task is for, as Markdown." },
  disabled: { type: "boolean", default: false, description: "The task is left out." },
  runIf: {
    type: "string",
    dynamic: true,
    default: "true",
    description: "The task is skipped unless this is true.",
  },
  allowFailure: { type: "boolean", default: false, description: "A failure becomes a warning." },
  allowWarning: { type: "boolean", default: false, description: "A warning becomes a success." },
  logLevel: {
    type: "string",
    values: LOG_LEVELS,
    description: "Least severe level that is kept in the log.",
  },
});

/** Properties of every trigger. */
export const TRIGGER_PROPERTIES: PropertySchemas = Object.freeze({
  id: { type: "any", description: "Name of the trigger, unique within the flow." },
  type: { type: "any", description: "Type of the trigger." },
  description: { type: "string", description: "What the trigger is for, as Markdown." },
  disabled: { type: "boolean", default: false, description: "The trigger starts nothing." },
});

/** Properties of the webhook trigger, beside {@link TRIGGER_PROPERTIES}. */
export const WEBHOOK_PROPERTIES: PropertySchemas = Object.freeze({
  key: {
    type: "string",
    required: true,
    dynamic: true,
    maxLength: MAX_WEBHOOK_KEY,
    description: "Secret part of the address; may be an expression.",
  },
});

/** Properties of every input. */
export const INPUT_PROPERTIES: PropertySchemas = Object.freeze({
  id: { type: "any", description: "Name of the input, read as inputs.id; with dots it is nested." },
  name: { type: "any", description: "Older name of id." },
  type: { type: "any", description: "Type of the input." },
  description: { type: "string", description: "What the input is for, as Markdown." },
  displayName: { type: "string", maxLength: MAX_DISPLAY_NAME, description: "Name that forms show." },
  required: { type: "boolean", default: true, description: "A value must be given, or have a default." },
  defaults: { type: "any", dynamic: true, description: "Value when none is given." },
  prefill: { type: "any", description: "Value that forms suggest." },
  dependsOn: {
    type: "map",
    description: "Inputs that come first, and the condition under which this one is asked.",
  },
});

/** Properties of `dependsOn`. */
export const DEPENDS_ON_PROPERTIES: PropertySchemas = Object.freeze({
  inputs: { type: "list", description: "Ids of the inputs that come first." },
  condition: { type: "string", dynamic: true, description: "The input is asked only when this is true." },
});

/** Properties of every output. */
export const OUTPUT_PROPERTIES: PropertySchemas = Object.freeze({
  id: { type: "any", description: "Name of the output." },
  type: { type: "any", description: "Type to which the value is converted." },
  value: { type: "any", required: true, dynamic: true, description: "The value, mostly an expression." },
  description: { type: "string", description: "What the output is, as Markdown." },
  displayName: { type: "string", maxLength: MAX_DISPLAY_NAME, description: "Name that pages show." },
  required: { type: "boolean", default: true, description: "The execution fails when the value is missing." },
});
