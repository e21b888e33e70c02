/** Properties that several flowable tasks share. */
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";

/** `errors` and `finally` of a flowable task. */
export const HANDLER_PROPERTIES: PropertySchemas = Object.freeze({
  errors: {
    type: "tasks",
    description: "Tasks that run one after the other when a task of this one has failed for good.",
  },
  finally: { type: "tasks", description: "Tasks that run last, whether the others have failed or not." },
});

/** `concurrent` of tasks that start everything unless told otherwise. */
export const CONCURRENT: PropertySchema = Object.freeze({
  type: "integer",
  default: 0,
  minimum: 0,
  description: "How many may run at once; `0` means no limit.",
});

/**
 * `onChildFailure` of tasks whose children run side by side. The task itself ends FAILED in any case, after its `errors`
 * and `finally`. A failure that is allowed, or tried again, is none.
 */
export const ON_CHILD_FAILURE: PropertySchema = Object.freeze({
  type: "string",
  dynamic: true,
  values: ["FAILED", "CANCELLED", "CONTINUE", "FAIL", "CANCEL"],
  default: "FAILED",
  description:
    "What happens to the other tasks when one has failed: no further one is started and those that run " +
    "end as they may (`FAILED`), those that run are interrupted and end CANCELLED with everything below them " +
    "(`CANCELLED`), or all others run that do not depend on it (`CONTINUE`). `FAIL` and `CANCEL` are other names.",
});

/** `values` of a loop: a list, a map, or a text that holds one of them. */
export const ITERATED_VALUES: PropertySchema = Object.freeze({
  type: "list",
  required: true,
  dynamic: true,
  orMap: true,
  orText: true,
  description: "Values to go over: a list, a map, or an expression or JSON text that gives one of them.",
});

/** What runs for each value, and for how many of them at once. */
export const ITERATED_TASKS: PropertySchemas = Object.freeze({
  tasks: { type: "tasks", required: true, description: "Tasks to run for each value, in this order." },
  concurrencyLimit: {
    type: "integer",
    default: 1,
    minimum: 0,
    description: "For how many values the tasks run at once; `0` means no limit.",
  },
});
