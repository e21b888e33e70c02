/** How tasks name a stored state. */
import { dynamicFlag, type PropertySchema, type PropertySchemas } from "../../model/flows/schema.ts";

/** `name`, `namespace` and `taskrunValue`. */
export const STATE_PROPERTIES: PropertySchemas = Object.freeze({
  name: { type: "string", dynamic: true, default: "default", description: "Name of the state." },
  namespace: dynamicFlag(false, "Whether all flows of the namespace share the state."),
  taskrunValue: dynamicFlag(true, "Whether each value of a loop has a state of its own."),
});

/** `errorOnMissing` of tasks that need the state. */
export const ERROR_ON_MISSING_STATE: PropertySchema = dynamicFlag(
  false,
  "Whether a missing state is a failure.",
);
