/** The blocks that a flowable task runs beside its tasks. */
import type { PropertySchemas } from "../../model/flows/schema.ts";

/** `errors` and `finally` of a flowable task. */
export const HANDLER_PROPERTIES: PropertySchemas = Object.freeze({
  errors: {
    type: "tasks",
    description: "Tasks that run one after the other when a task of this one has failed for good.",
  },
  finally: { type: "tasks", description: "Tasks that run last, whether the others have failed or not." },
});
