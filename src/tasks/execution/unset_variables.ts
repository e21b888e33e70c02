/** `core.execution.UnsetVariables`: removes variables of the execution. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Has no outputs. */
export const unsetVariablesTask: PlannedTaskType = {
  form: "planned",
  type: "core.execution.UnsetVariables",
  aliases: [],
  description: "Removes variables of the execution.",
  properties: {
    variables: {
      type: "list",
      required: true,
      dynamic: true,
      orText: true,
      items: { type: "string", description: "Name of a variable." },
      description: "Names of the variables.",
    },
    ignoreMissing: {
      type: "boolean",
      dynamic: true,
      default: false,
      description: "Whether a missing variable is accepted; the task fails when it is not.",
    },
  },
  outputs: {},
};
