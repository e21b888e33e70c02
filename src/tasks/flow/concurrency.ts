/** How many nested tasks of a flowable task run at once, and what a failed one does to the others. */
import type { PropertySchema } from "../../model/schema.ts";

/** `concurrent` of tasks that start everything unless told otherwise. */
export const CONCURRENT: PropertySchema = Object.freeze({
  type: "integer",
  default: 0,
  minimum: 0,
  description: "How many may run at once; `0` means no limit.",
});

/** `onChildFailure` of tasks whose children run side by side. */
export const ON_CHILD_FAILURE: PropertySchema = Object.freeze({
  type: "string",
  values: ["FAILED", "CANCELLED", "CONTINUE"],
  default: "FAILED",
  planned: true,
  description: "What happens to tasks that still run when another one has failed.",
});
