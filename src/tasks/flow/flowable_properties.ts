/** Properties that several flowable tasks share. */
import {
  dynamicChoice,
  dynamicProperty,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";

/** `errors` and `finally` of a flowable task. */
export const HANDLER_PROPERTIES: PropertySchemas = Object.freeze({
  errors: {
    type: "tasks",
    description: "Tasks that run one after the other when a task of this one has finally failed.",
  },
  finally: { type: "tasks", description: "Tasks that run last, whether the others have failed or not." },
});

/** `concurrent` of tasks that start all children at once by default. */
export const CONCURRENT: PropertySchema = Object.freeze({
  type: "integer",
  default: 0,
  minimum: 0,
  description: "Maximum number of tasks that run at the same time; `0` means no limit.",
});

/**
 * `onChildFailure` of tasks with parallel children. The task itself always ends FAILED, after its `errors` and `finally`.
 * An allowed failure or one that is retried does not count.
 */
export const ON_CHILD_FAILURE: PropertySchema = dynamicChoice(
  ["FAILED", "CANCELLED", "CONTINUE", "FAIL", "CANCEL"],
  "FAILED",
  "What happens to the other tasks when one has failed: no further task is started and running tasks continue " +
    "(`FAILED`), running tasks and everything below them are interrupted and end CANCELLED (`CANCELLED`), " +
    "or all tasks run that do not depend on it (`CONTINUE`). `FAIL` and `CANCEL` are aliases.",
);

/** `values` of a loop: a list, a map, or a text that contains one of them. */
export const ITERATED_VALUES: PropertySchema = dynamicProperty(
  "list",
  "Values to iterate over: a list, a map, or an expression or JSON text of one of them.",
  { required: true, mayBeEmpty: true, orMap: true, orText: true },
);

/** The tasks for each value, and the number of concurrent values. */
export const ITERATED_TASKS: PropertySchemas = Object.freeze({
  tasks: { type: "tasks", required: true, description: "Tasks to run for each value, in this order." },
  concurrencyLimit: {
    type: "integer",
    default: 1,
    minimum: 0,
    description: "Maximum number of values that run at the same time; `0` means no limit.",
  },
});
