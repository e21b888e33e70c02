/** `core.execution.SetVariables`: sets variables of the execution. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Has no outputs. */
export const setVariablesTask: PlannedTaskType = {
  form: "planned",
  type: "core.execution.SetVariables",
  aliases: [],
  description: "Sets variables that later tasks read as `vars.name`.",
  properties: {
    variables: {
      type: "map",
      required: true,
      dynamic: true,
      orText: true,
      description: "Values by name; a map is merged into the one that exists.",
    },
    overwrite: {
      type: "boolean",
      dynamic: true,
      default: true,
      description: "Whether variables that exist may change; the task fails when they may not.",
    },
  },
  outputs: {},
};
