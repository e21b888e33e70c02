/** Lists of states, for triggers and conditions. */
import type { PropertySchema } from "../model/flows/schema.ts";
import { STATES } from "../model/executions/state.ts";

/** Schema of a list of states of executions. */
export function stateList(description: string, { dynamic = false } = {}): PropertySchema {
  return {
    type: "list",
    dynamic,
    items: { type: "string", dynamic, values: STATES, description: "A state." },
    description,
  };
}
