/** `core.flow.Loop`: each value in an execution of its own. */
import type { PropertySchemas } from "../../model/schema.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { HANDLER_PROPERTIES } from "./handlers.ts";
import { ITERATED_VALUES } from "./iterated_values.ts";

const OUTPUT: PropertySchemas = Object.freeze({
  id: { type: "string", required: true, description: "Name of the output." },
  type: { type: "string", description: "Type to which the value is converted." },
  value: {
    type: "any",
    required: true,
    description: "Expression that is evaluated at the end of each pass.",
  },
  description: { type: "string", description: "What the output is, as Markdown." },
  displayName: { type: "string", description: "Name that pages show." },
  required: { type: "boolean", default: true, description: "Whether a missing value is a failure." },
});

/** Outputs: `iterationCount` and `outputs`. */
export const loopTask: PlannedTaskType = {
  form: "planned",
  type: "core.flow.Loop",
  aliases: [],
  description:
    "Runs its tasks once for each value, each time apart from the others; they read the value as `item.value`.",
  properties: {
    values: {
      ...ITERATED_VALUES,
      description:
        "Values to go over: a list, a map, the storage URI of a file with one value on each line, or a text of these.",
    },
    tasks: { type: "tasks", required: true, description: "Tasks to run for each value, in this order." },
    concurrencyLimit: {
      type: "integer",
      default: 0,
      minimum: 0,
      description: "For how many values the tasks run at once; `0` means no limit.",
    },
    outputs: {
      type: "list",
      items: { type: "object", properties: OUTPUT, description: "One output of a pass." },
      description: "Values that tasks after the loop can read, of each pass.",
    },
    fetchType: {
      type: "string",
      values: ["AUTO", "FETCH", "STORE"],
      default: "AUTO",
      description: "Where the outputs go: into the execution, into a file, or as the values came.",
    },
    breakWhen: {
      type: "string",
      description: "Expression that is evaluated after each pass; no further pass begins when it is true.",
    },
    transmitFailed: {
      type: "boolean",
      default: true,
      description: "Whether a failed pass is a failure of this task.",
    },
    ...HANDLER_PROPERTIES,
  },
  outputs: {
    iterationCount: { type: "integer", description: "Number of passes." },
    outputs: {
      type: "any",
      description: "Outputs of the passes: a list of maps, or the storage URI of a file.",
    },
  },
};
