/** `core.state.Get`: reads a stored state. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { ERROR_ON_MISSING_STATE, STATE_PROPERTIES } from "./state_properties.ts";

/** Outputs: `count` and `data`. */
export const stateGetTask: PlannedTaskType = {
  form: "planned",
  type: "core.state.Get",
  aliases: ["core.tasks.states.Get"],
  description: "Reads a stored state.",
  deprecated: "use `core.kv.Get`",
  properties: { ...STATE_PROPERTIES, errorOnMissing: ERROR_ON_MISSING_STATE },
  outputs: {
    count: { type: "integer", description: "Number of values in the state." },
    data: { type: "map", description: "Values of the state, by name." },
  },
};
