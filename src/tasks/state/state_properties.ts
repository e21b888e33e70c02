/** How tasks name a stored state. */
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";

/** `name`, `namespace` and `taskrunValue`. */
export const STATE_PROPERTIES: PropertySchemas = Object.freeze({
  name: { type: "string", dynamic: true, default: "default", description: "Name of the state." },
  namespace: {
    type: "boolean",
    dynamic: true,
    default: false,
    description: "Whether all flows of the namespace share the state.",
  },
  taskrunValue: {
    type: "boolean",
    dynamic: true,
    default: true,
    description: "Whether each value of a loop has a state of its own.",
  },
});

/** `errorOnMissing` of tasks that need the state. */
export const ERROR_ON_MISSING_STATE: PropertySchema = Object.freeze({
  type: "boolean",
  dynamic: true,
  default: false,
  description: "Whether a missing state is a failure.",
});
