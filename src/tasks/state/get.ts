/** `core.state.Get`: reads a stored state. */
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf } from "../property_values.ts";
import { ERROR_ON_MISSING_STATE, missingState, STATE_PROPERTIES, stateIdOf } from "./state_id.ts";

/** Outputs: `count` and `data`. */
export const stateGetTask: RunnableTaskType = {
  form: "runnable",
  type: "core.state.Get",
  aliases: ["core.tasks.states.Get"],
  description: "Reads a stored state.",
  deprecated: "use `core.kv.Get`",
  pure: false,
  properties: { ...STATE_PROPERTIES, errorOnMissing: ERROR_ON_MISSING_STATE },
  outputs: {
    count: { type: "integer", description: "Number of values in the state." },
    data: { type: "map", description: "Values of the state, by name." },
  },
  async run(properties, context) {
    const id = stateIdOf(properties, context);
    const data = await context.ports.states.get(context.tenant, id);
    if (!data && flagOf(properties, "errorOnMissing", false)) throw missingState(id);
    return { state: "SUCCESS", outputs: { count: Object.keys(data ?? {}).length, data: data ?? {} } };
  },
};
