/** `core.state.Set`: merges data into a stored state. */
import { dynamicProperty } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { mapOf } from "../property_values.ts";
import { STATE_PROPERTIES, stateIdOf } from "./state_id.ts";

/** Outputs: `count` and `key`. */
export const stateSetTask: RunnableTaskType = {
  form: "runnable",
  type: "core.state.Set",
  aliases: ["core.tasks.states.Set"],
  description: "Merges data into a stored state.",
  deprecated: "use `core.kv.Set`",
  pure: false,
  properties: {
    ...STATE_PROPERTIES,
    data: dynamicProperty(
      "map",
      "Values to store, by name. A map is merged into a stored map, a list is appended to a stored list.",
      { orText: true },
    ),
  },
  outputs: {
    count: { type: "integer", description: "Number of values in the state." },
    key: { type: "string", description: "Name under which the state is stored." },
  },
  async run(properties, context) {
    const given = mapOf(properties, "data") ?? {};
    const { key, data } = await context.ports.states.merge(
      context.tenant,
      stateIdOf(properties, context),
      given,
    );
    return { state: "SUCCESS", outputs: { count: Object.keys(data).length, key } };
  },
};
