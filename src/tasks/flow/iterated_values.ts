/** The values over which a loop goes. */
import type { PropertySchema } from "../../model/schema.ts";

/** `values` of a loop: a list, a map, or a text that holds one of them. */
export const ITERATED_VALUES: PropertySchema = Object.freeze({
  type: "list",
  required: true,
  dynamic: true,
  orMap: true,
  orText: true,
  description: "Values to go over: a list, a map, or an expression or JSON text that gives one of them.",
});
