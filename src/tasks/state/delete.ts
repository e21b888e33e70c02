/** `core.state.Delete`: deletes a stored state. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf } from "../property_values.ts";
import { ERROR_ON_MISSING_STATE, missingState, STATE_PROPERTIES, stateIdOf } from "./state_id.ts";

/** Output: `deleted`. */
export const stateDeleteTask: RunnableTaskType = {
  form: "runnable",
  type: "core.state.Delete",
  aliases: ["core.tasks.states.Delete"],
  description: "Deletes a stored state.",
  deprecated: "use `core.kv.Delete`",
  pure: false,
  properties: { ...STATE_PROPERTIES, errorOnMissing: ERROR_ON_MISSING_STATE },
  outputs: {
    deleted: { type: "boolean", description: "Whether there was such a state." },
  },
  async run(properties, context) {
    const id = stateIdOf(properties, context);
    const deleted = await context.ports.states.delete(context.tenant, id);
    if (!deleted && flagOf(properties, "errorOnMissing", false)) throw missingState(id);
    return { state: "SUCCESS", outputs: { deleted } };
  },
};
