/** `core.output.OutputValues`: returns values as outputs. */
import { dynamicProperty } from "../../model/flows/schema.ts";
import type { AttemptOutcome, RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { mapOf } from "../property_values.ts";

/** Output: `values`. */
export const outputValuesTask: RunnableTaskType = {
  form: "runnable",
  type: "core.output.OutputValues",
  aliases: ["core.tasks.outputs.OutputValues"],
  description: "Returns values as outputs, to pass them on under other names.",
  pure: true,
  properties: {
    values: dynamicProperty("map", "Values by name.", { orText: true }),
  },
  outputs: { values: { type: "map", description: "The values as rendered." } },
  run(properties): AttemptOutcome {
    const values = mapOf(properties, "values");
    return { state: "SUCCESS", outputs: values ? { values } : {} };
  },
};
