/**
 * Property schemas of flow documents and of the common properties of tasks, triggers, inputs and outputs. A `planned`
 * property has no behaviour yet: a flow that uses it is refused.
 */
import { LOG_LEVELS } from "../../model/flows/flow.ts";
import { MAX_FLOW_ID_LENGTH, MAX_NAMESPACE_LENGTH, MAX_TASK_ID_LENGTH } from "../../model/limits.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import { STATES } from "../../model/executions/state.ts";
import type { TaskMember } from "../../model/tasks/task_catalog.ts";
import type { TriggerMember } from "../../model/triggers/trigger_catalog.ts";
import {
  CHECK,
  CONCURRENCY,
  LISTENER,
  PLUGIN_DEFAULT,
  RETRY,
  SLA,
  TASK_CACHE,
  WORKER_GROUP,
} from "./schema_parts.ts";

const MAX_DISPLAY_NAME = 64;

const TASK_ID = "[a-zA-Z0-9][a-zA-Z0-9_-]*";
const INPUT_ID = "[a-zA-Z0-9][.a-zA-Z0-9_-]*";

/** An id; `check_ids.ts` checks it. */
function idSchema(description: string, pattern: string, maxLength = MAX_TASK_ID_LENGTH): PropertySchema {
  return { type: "string", required: true, pattern, maxLength, description };
}

/** Properties of the flow document; managed members are accepted and ignored. */
export const FLOW_PROPERTIES: PropertySchemas = Object.freeze({
  id: idSchema(
    "Name of the flow within its namespace; never changes.",
    "[a-zA-Z0-9][a-zA-Z0-9._-]*",
    MAX_FLOW_ID_LENGTH,
  ),
  namespace: idSchema(
    "Dotted owner of the flow; never changes.",
    "[a-z0-9][a-z0-9._-]*",
    MAX_NAMESPACE_LENGTH,
  ),
  description: { type: "string", description: "What the flow is for, as Markdown." },
  labels: {
    type: "map",
    orList: true,
    description: "Tags that executions inherit: a map, or a list of `key` and `value`.",
  },
  inputs: { type: "inputs", description: "Typed arguments of an execution." },
  outputs: { type: "list", description: "Results of an execution." },
  variables: { type: "map", description: "Constants, read as `vars.name`." },
  tasks: { type: "tasks", required: true, description: "What is done, in order." },
  errors: { type: "tasks", description: "Run when a task has failed." },
  finally: { type: "tasks", description: "Run after the tasks and errors, whatever happened." },
  afterExecution: {
    type: "tasks",
    description: "Run when the execution has ended; they do not change its state.",
  },
  triggers: { type: "list", description: "What starts executions." },
  pluginDefaults: {
    type: "list",
    items: PLUGIN_DEFAULT,
    aliases: ["taskDefaults"],
    description: "Default properties of tasks and triggers, by type.",
  },
  concurrency: CONCURRENCY,
  retry: RETRY,
  sla: { type: "list", items: SLA, description: "Service level agreements of executions." },
  checks: { type: "list", items: CHECK, description: "Conditions on inputs that must hold for a start." },
  disabled: { type: "boolean", default: false, description: "No execution can be started." },
  listeners: {
    type: "list",
    items: LISTENER,
    deprecated: "use afterExecution",
    description: "Tasks that run once the execution has ended.",
  },
  workerGroup: WORKER_GROUP,
  revision: { type: "any", description: "Set by the server." },
  deleted: { type: "any", description: "Set by the server." },
  draft: { type: "any", description: "Set by the server." },
  tenantId: { type: "any", description: "Set by the server." },
  updated: { type: "any", description: "Set by the server." },
});

/** Properties of every task. */
export const TASK_PROPERTIES: Readonly<Record<TaskMember, PropertySchema>> = Object.freeze({
  id: idSchema("Name of the task, unique within the flow.", TASK_ID),
  type: { type: "string", required: true, description: "Type of the task." },
  version: { type: "any", ignored: true, description: "Version of the type." },
  description: { type: "string", description: "What the task is for, as Markdown." },
  disabled: { type: "boolean", default: false, description: "The task is left out." },
  runIf: {
    type: "string",
    aliases: ["when"],
    dynamic: true,
    default: "true",
    description: "The task is skipped unless this is true.",
  },
  retry: RETRY,
  timeout: {
    type: "duration",
    dynamic: true,
    description: "Longest time of one attempt, or of all tasks within a flowable task; then the task fails.",
  },
  allowFailure: { type: "boolean", default: false, description: "A failure becomes a warning." },
  allowWarning: { type: "boolean", default: false, description: "A warning becomes a success." },
  logLevel: {
    type: "string",
    values: LOG_LEVELS,
    description: "Least severe level that is kept in the log.",
  },
  logToFile: {
    type: "boolean",
    default: false,
    description: "The log of each attempt is shown as a file of the execution, too.",
  },
  taskCache: TASK_CACHE,
  workerGroup: WORKER_GROUP,
  workerSelector: { type: "map", ignored: true, description: "Workers that run the task, by their tags." },
  assets: { type: "any", ignored: true, description: "What the task reads and writes." },
});

/** Properties of every trigger. */
export const TRIGGER_PROPERTIES: Readonly<Record<TriggerMember, PropertySchema>> = Object.freeze({
  id: idSchema("Name of the trigger, unique within the flow.", TASK_ID),
  type: { type: "string", required: true, description: "Type of the trigger." },
  version: { type: "any", ignored: true, description: "Version of the type." },
  description: { type: "string", description: "What the trigger is for, as Markdown." },
  disabled: { type: "boolean", default: false, description: "The trigger starts nothing." },
  conditions: { type: "conditions", description: "All of them must hold for a start." },
  when: { type: "string", dynamic: true, description: "Expression that must be true for a start." },
  inputs: { type: "map", dynamic: true, description: "Inputs of the executions that it starts." },
  labels: {
    type: "map",
    orList: true,
    dynamic: true,
    description: "Labels of the executions that it starts: a map, or a list of `key` and `value`.",
  },
  stopAfter: {
    type: "list",
    items: { type: "string", values: STATES, description: "State of an execution." },
    description:
      "The trigger becomes disabled when an execution that it started ends in one of these states.",
  },
  logLevel: {
    type: "string",
    values: LOG_LEVELS,
    aliases: ["minLogLevel"],
    ignored: true,
    description: "Least severe level that is kept in the log.",
  },
  logToFile: { type: "boolean", ignored: true, description: "Where the log of the trigger is kept." },
  failOnTriggerError: {
    type: "boolean",
    default: false,
    description: "A poll that fails starts an execution in state FAILED.",
  },
  allowConcurrent: {
    type: "boolean",
    default: false,
    description: "It starts executions while an earlier one of its own still runs.",
  },
  workerGroup: { type: "map", ignored: true, description: "Workers that evaluate the trigger." },
  workerSelector: {
    type: "map",
    ignored: true,
    description: "Workers that evaluate the trigger, by their tags.",
  },
  assets: { type: "any", ignored: true, description: "What the trigger reads." },
});

const DEPENDS_ON: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "Inputs that come first, and the condition under which this one is enabled.",
  properties: {
    inputs: {
      type: "list",
      items: { type: "string", required: true, description: "Id of an input." },
      description: "Ids of the inputs that come first.",
    },
    condition: { type: "string", dynamic: true, description: "The input is enabled only when this is true." },
  },
});

/** Properties of every input. */
export const INPUT_PROPERTIES: PropertySchemas = Object.freeze({
  id: {
    ...idSchema("Name of the input, read as `inputs.id`; with dots it is nested.", INPUT_ID),
    aliases: ["name"],
  },
  type: { type: "string", required: true, description: "Type of the input." },
  description: { type: "string", description: "What the input is for, as Markdown." },
  displayName: { type: "string", maxLength: MAX_DISPLAY_NAME, description: "Name that forms show." },
  required: { type: "boolean", default: true, description: "A value must be given, or have a default." },
  defaults: { type: "any", dynamic: true, description: "Value when none is given." },
  prefill: { type: "any", description: "Value that forms suggest." },
  dependsOn: DEPENDS_ON,
});

/** Properties of every output. */
export const OUTPUT_PROPERTIES: PropertySchemas = Object.freeze({
  id: idSchema("Name of the output.", INPUT_ID),
  type: { type: "string", description: "Type to which the value is converted." },
  value: { type: "any", required: true, dynamic: true, description: "The value, mostly an expression." },
  description: { type: "string", description: "What the output is, as Markdown." },
  displayName: { type: "string", maxLength: MAX_DISPLAY_NAME, description: "Name that pages show." },
  required: { type: "boolean", default: true, description: "The execution fails when the value is missing." },
});
