/** States of executions, as a list that a task reads. */
import type { PropertySchema } from "../../model/schema.ts";
import { STATES } from "../../model/state.ts";

/** Schema of a list of states with that description. */
export function stateList(description: string): PropertySchema {
  return {
    type: "list",
    dynamic: true,
    items: { type: "string", dynamic: true, values: STATES, description: "A state." },
    description,
  };
}
