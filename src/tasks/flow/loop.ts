/** `core.flow.Loop`: runs each value in a separate execution. */
import { LOOP } from "../../model/executions/loop_run.ts";
import { dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { ITERATED_TASKS, ITERATED_VALUES } from "./flowable_properties.ts";

const OUTPUT: PropertySchemas = Object.freeze({
  id: { type: "string", required: true, description: "Name of the output." },
  type: { type: "string", description: "Type to which the value is converted." },
  value: {
    type: "any",
    required: true,
    description: "Expression that is evaluated at the end of each pass, with the variables of that pass.",
  },
  description: { type: "string", description: "Description of the output, as Markdown." },
  displayName: { type: "string", description: "Name shown in the user interface." },
  required: { type: "boolean", default: true, description: "Whether a missing value is a failure." },
});

/** Outputs: `iterationCount`, `runningIterations`, `terminatedIterations` and `outputs`. */
export const loopTask: FlowableTaskType = {
  form: "flowable",
  type: LOOP,
  aliases: [],
  description:
    "Runs its tasks once for each value, each time in a separate execution; they read the value as `item.value`.",
  properties: {
    values: {
      ...ITERATED_VALUES,
      description:
        "Values to iterate over: a list, a map, the storage URI of a file with one value per line, or a text of these.",
    },
    ...ITERATED_TASKS,
    outputs: {
      type: "list",
      items: { type: "object", properties: OUTPUT, description: "One output of a pass." },
      description: "Values of each pass that tasks after the loop can read.",
    },
    fetchType: {
      type: "string",
      values: ["AUTO", "FETCH", "STORE", "NONE"],
      default: "AUTO",
      description:
        "Where the outputs are stored: in the execution, in a file, or nowhere; AUTO uses a file if the values are in a file.",
    },
    breakWhen: dynamicText(
      "Expression that is evaluated after each successful pass, with the variables of that pass; no further pass starts when it is true.",
    ),
    transmitFailed: {
      type: "boolean",
      default: true,
      description: "Whether a failed pass ends the loop and fails this task.",
    },
    errors: {
      type: "tasks",
      description: "Tasks that run one after the other within a pass when a task of it has finally failed.",
    },
    finally: {
      type: "tasks",
      description:
        "Tasks that run once after all passes, in the execution of the loop, whether one has failed or not.",
    },
  },
  outputs: {
    iterationCount: { type: "integer", description: "Number of passes." },
    runningIterations: { type: "integer", description: "Number of running passes." },
    terminatedIterations: { type: "map", description: "Number of ended passes, by state." },
    outputs: {
      type: "any",
      description:
        "Outputs of the passes in order, each with its `item` and `outputs`: a list, or the storage URI of a file.",
    },
  },
};
