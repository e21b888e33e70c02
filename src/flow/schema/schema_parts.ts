/** Schemas of objects within flows and tasks, one constant a noun. */
import { WORKER_FALLBACKS } from "../../model/flows/flow.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";

const INTERVAL = "Time between two attempts.";

/** Retry of a failed task or execution. The order of its durations is checked in `task_rules.ts`. */
export const RETRY: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "How often, and after which time, a failed task is tried again.",
  properties: {
    type: {
      type: "string",
      required: true,
      values: ["constant", "exponential", "random"],
      description: "How the time between attempts is chosen.",
    },
    maxAttempt: {
      type: "integer",
      minimum: 1,
      aliases: ["maxAttempts"],
      description: "Attempts in all, the first one included.",
    },
    maxDuration: {
      type: "duration",
      description: "Time from the first attempt after which no other one begins.",
    },
    warningOnRetry: {
      type: "boolean",
      default: false,
      description: "A success that needed more than one attempt is a warning.",
    },
    behavior: {
      type: "string",
      values: ["RETRY_FAILED_TASK", "CREATE_NEW_EXECUTION"],
      default: "RETRY_FAILED_TASK",
      description: "Whether the task is tried again, or the whole execution.",
    },
  },
  variants: {
    constant: { interval: { type: "duration", required: true, description: INTERVAL } },
    exponential: {
      interval: { type: "duration", required: true, description: "Time before the second attempt." },
      maxInterval: { type: "duration", required: true, description: "Longest time between two attempts." },
      delayFactor: {
        type: "number",
        default: 2,
        description: "Factor by which the time grows with each attempt.",
      },
    },
    random: {
      minInterval: { type: "duration", required: true, description: "Shortest time between two attempts." },
      maxInterval: { type: "duration", required: true, description: "Longest time between two attempts." },
    },
  },
});

/** Concurrency limit of a flow. */
export const CONCURRENCY: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "How many executions of the flow run at a time, and what happens to the others.",
  properties: {
    limit: { type: "integer", required: true, minimum: 1, description: "Executions that run at a time." },
    behavior: {
      type: "string",
      values: ["QUEUE", "CANCEL", "FAIL"],
      default: "QUEUE",
      description: "What becomes of an execution beyond the limit.",
    },
  },
});

/** Workers that run tasks. */
export const WORKER_GROUP: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "Workers that run the script and HTTP tasks, and what happens while none is connected.",
  properties: {
    key: { type: "string", dynamic: true, description: "Name of the group." },
    fallback: {
      type: "string",
      values: WORKER_FALLBACKS,
      default: "WAIT",
      description: "What a task does while no worker of the group is connected.",
    },
  },
});

/** Service level agreement of executions. */
export const SLA: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "What an execution must satisfy, and what happens when it does not.",
  properties: {
    id: { type: "string", required: true, description: "Name of the SLA." },
    type: {
      type: "string",
      required: true,
      values: ["MAX_DURATION", "EXECUTION_ASSERTION"],
      description: "What is required.",
    },
    behavior: {
      type: "string",
      values: ["FAIL", "CANCEL", "NONE"],
      default: "FAIL",
      description: "What becomes of an execution that violates it.",
    },
    labels: {
      type: "map",
      orList: true,
      description: "Labels that the execution gets: a map, or a list of `key` and `value`.",
    },
  },
  variants: {
    MAX_DURATION: {
      duration: {
        type: "duration",
        required: true,
        sign: "positive",
        description: "Longest time from the start.",
      },
    },
    EXECUTION_ASSERTION: {
      assert: { type: "string", required: true, dynamic: true, description: "Expression that must be true." },
    },
  },
});

/** A condition on the inputs of a start. */
export const CHECK: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "A condition on inputs, and what happens when it does not hold.",
  properties: {
    condition: {
      type: "string",
      aliases: ["when"],
      required: true,
      dynamic: true,
      description: "Expression that must be true.",
    },
    message: { type: "string", required: true, dynamic: true, description: "Message for the caller." },
    style: {
      type: "string",
      values: ["ERROR", "SUCCESS", "WARNING", "INFO"],
      default: "INFO",
      description: "How forms show the message.",
    },
    behavior: {
      type: "string",
      values: ["BLOCK_EXECUTION", "FAIL_EXECUTION", "CREATE_EXECUTION"],
      default: "BLOCK_EXECUTION",
      description: "What happens to the start.",
    },
  },
});

/** Default properties of a type. */
export const PLUGIN_DEFAULT: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "Default properties of all tasks and triggers of a type.",
  properties: {
    type: { type: "string", required: true, description: "The type, or what its name begins with." },
    forced: {
      type: "boolean",
      default: false,
      description: "The values override those of a task.",
    },
    values: { type: "map", required: true, description: "Properties and their values." },
  },
});

/** Cache of the outputs of a task. */
export const TASK_CACHE: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "Whether outputs are kept for later tasks with the same properties.",
  properties: {
    enabled: { type: "boolean", required: true, description: "Outputs are kept and used." },
    ttl: { type: "duration", description: "How long they are valid; without it they do not expire." },
  },
});

/** Tasks that run after an execution (deprecated). */
export const LISTENER: PropertySchema = Object.freeze<PropertySchema>({
  type: "object",
  description: "Tasks that run once the execution has ended.",
  properties: {
    description: { type: "string", description: "What the tasks are for, as Markdown." },
    conditions: {
      type: "conditions",
      description:
        "Conditions on the execution that has ended: all of them must hold, else the tasks are skipped.",
    },
    tasks: { type: "tasks", required: true, description: "What is done, in order." },
  },
});
