/** How many nested tasks of a flowable task run at once, and what a failed one does to the others. */
import type { PropertySchema } from "../../model/flows/schema.ts";

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
