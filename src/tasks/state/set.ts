/** `core.state.Set`: merges data into a stored state. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { STATE_PROPERTIES } from "./state_properties.ts";

/** Outputs: `count` and `key`. */
export const stateSetTask: PlannedTaskType = {
  form: "planned",
  type: "core.state.Set",
  aliases: ["core.tasks.states.Set"],
  description: "Merges data into a stored state.",
  deprecated: "use `core.kv.Set`",
  properties: {
    ...STATE_PROPERTIES,
    data: {
      type: "map",
      required: true,
      dynamic: true,
      orText: true,
      description: "Values to store, by name.",
    },
  },
  outputs: {
    count: { type: "integer", description: "Number of values in the state." },
    key: { type: "string", description: "Name under which the state is stored." },
  },
};
