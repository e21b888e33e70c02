/** `core.execution.Labels`: adds labels to the execution. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Has no outputs. */
export const labelsTask: PlannedTaskType = {
  form: "planned",
  type: "core.execution.Labels",
  aliases: ["core.tasks.executions.Labels"],
  description: "Adds labels to the execution; a label of the same key is replaced.",
  properties: {
    labels: {
      type: "map",
      required: true,
      dynamic: true,
      orList: true,
      orText: true,
      description: "Labels: a map, a list of `key` and `value`, or a JSON text of one of them.",
    },
  },
  outputs: {},
};
