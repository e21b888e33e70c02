/** States of executions, as a list that a task reads. */
import type { JsonObject } from "../../base/json.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import { type State, STATES } from "../../model/executions/state.ts";
import { textsOf } from "../property_values.ts";

/** Schema of a list of states with that description. */
export function stateList(description: string): PropertySchema {
  return {
    type: "list",
    dynamic: true,
    items: { type: "string", dynamic: true, values: STATES, description: "A state." },
    description,
  };
}

/** The states that the property `states` lists; `undefined` when it is absent. @throws Error for what is no state */
export function statesOf(properties: JsonObject): State[] | undefined {
  return textsOf(properties, "states")?.map((text) => {
    const name = text.trim().toUpperCase();
    const state = STATES.find((candidate) => candidate === name);
    if (state) return state;
    throw new Error(`Invalid state "${name}": it must be one of ${STATES.join(", ")}`);
  });
}
