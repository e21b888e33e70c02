/** `core.execution.SetVariables`: sets variables of the execution. */
import { isJsonObject, type JsonObject, ownProperty, setOwnProperty } from "../../base/json.ts";
import { dynamicFlag } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { flagOf, mapOf } from "../property_values.ts";

/** Has no outputs. */
export const setVariablesTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.SetVariables",
  aliases: [],
  description: "Sets variables that later tasks read as `vars.name`.",
  pure: true,
  properties: {
    variables: {
      type: "map",
      required: true,
      dynamic: true,
      orText: true,
      description: "Values by name; a map is merged into the one that exists.",
    },
    overwrite: dynamicFlag(
      true,
      "Whether variables that exist may change; the task fails when they may not.",
    ),
  },
  outputs: {},
  run(properties, context) {
    const given = mapOf(properties, "variables") ?? {};
    const taken = Object.keys(given).filter((name) => Object.hasOwn(context.variables, name));
    if (!flagOf(properties, "overwrite", true) && taken.length > 0) {
      throw new Error(
        `\`overwrite\` is set to false and the following variables already exist: ${taken.join(", ")}`,
      );
    }
    const effects = {
      // Read when it takes effect: a task beside this one may have set others meanwhile.
      get variables() {
        return mergeDeep(context.variables, given);
      },
    };
    return { state: "SUCCESS", outputs: {}, effects };
  },
};

/** The members of both; where both have a map, its members too, else what is given wins. */
function mergeDeep(present: JsonObject, given: JsonObject): JsonObject {
  const merged: JsonObject = { ...present };
  for (const name of Object.keys(given)) {
    const before = ownProperty(present, name);
    const value = ownProperty(given, name) ?? null;
    const both = isJsonObject(before) && isJsonObject(value);
    setOwnProperty(merged, name, both ? mergeDeep(before, value) : value);
  }
  return merged;
}
