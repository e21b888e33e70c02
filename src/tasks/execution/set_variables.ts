/** `core.execution.SetVariables`: sets variables of the execution. */
import { dynamicFlag, dynamicProperty } from "../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { mergeDeep } from "../../base/merge_deep.ts";
import { flagOf, mapOf } from "../property_values.ts";

/** Has no outputs. */
export const setVariablesTask: RunnableTaskType = {
  form: "runnable",
  type: "core.execution.SetVariables",
  aliases: [],
  description: "Sets variables that later tasks read as `vars.name`.",
  pure: true,
  properties: {
    variables: dynamicProperty("map", "Values by name; a map is merged into an existing one.", {
      required: true,
      orText: true,
    }),
    overwrite: dynamicFlag(
      true,
      "Whether existing variables may be replaced; otherwise the task fails.",
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
      // A getter, read when the effect is applied: parallel tasks may have set other variables meanwhile.
      get variables() {
        return mergeDeep(context.variables, given);
      },
    };
    return { state: "SUCCESS", outputs: {}, effects };
  },
};
