/** `core.output.OutputValues`: gives values as outputs. */
import type { PlannedTaskType } from "../../model/task_catalog.ts";

/** Output: `values`. */
export const outputValuesTask: PlannedTaskType = {
  form: "planned",
  type: "core.output.OutputValues",
  aliases: [],
  description: "Gives values as outputs, to pass them on under names of their own.",
  properties: {
    values: { type: "map", dynamic: true, orText: true, description: "Values by name." },
  },
  outputs: { values: { type: "map", description: "The values as rendered." } },
};
