/** `core.flow.Pause`: waits for a resume or for a duration. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { dynamicChoice, dynamicProperty, type PropertySchemas } from "../../model/flows/schema.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";

const RESUMED: PropertySchemas = Object.freeze({
  by: { type: "string", description: "Who resumed the execution." },
  on: { type: "dateTime", description: "When the execution was resumed." },
  to: { type: "string", description: "State to which the execution was resumed." },
});

/** Outputs: `onResume`, the values given at resume, and `resumed`. */
export const pauseTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.Pause",
  aliases: ["core.tasks.flows.Pause"],
  description: "Pauses the execution until it is resumed, or until a duration has passed.",
  properties: {
    pauseDuration: dynamicProperty("duration", "Maximum duration of the pause; default is unlimited.", {
      aliases: ["delay"],
    }),
    behavior: dynamicChoice(
      ["RESUME", "WARN", "CANCEL", "FAIL"],
      "RESUME",
      "What happens when `pauseDuration` has passed.",
    ),
    onResume: { type: "inputs", description: "Inputs that are requested when the execution is resumed." },
    onPause: {
      type: "task",
      description:
        "Task that runs when the pause begins, for example to notify somebody. Its result does not end the pause; " +
        "after the resume the pause ends when this task has ended, in WARNING if it failed.",
    },
    tasks: {
      type: "tasks",
      deprecated: "put the tasks after this one",
      description: "Tasks to run after the pause, in this order.",
    },
    ...HANDLER_PROPERTIES,
  },
  outputs: {
    onResume: { type: "map", description: "Values given at resume, by the ids of the inputs." },
    resumed: { type: "object", properties: RESUMED, description: "Who resumed the execution, and when." },
  },
};
