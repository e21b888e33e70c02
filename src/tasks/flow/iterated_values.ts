/** The values over which a loop goes, and what it does with them. */
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";

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
