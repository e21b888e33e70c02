/** `core.state.Delete`: deletes a stored state. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { ERROR_ON_MISSING_STATE, STATE_PROPERTIES } from "./state_properties.ts";

/** Output: `deleted`. */
export const stateDeleteTask: PlannedTaskType = {
  form: "planned",
  type: "core.state.Delete",
  aliases: ["core.tasks.states.Delete"],
  description: "Deletes a stored state.",
  deprecated: "use `core.kv.Delete`",
  properties: { ...STATE_PROPERTIES, errorOnMissing: ERROR_ON_MISSING_STATE },
  outputs: {
    deleted: { type: "boolean", description: "Whether there was such a state." },
  },
};
