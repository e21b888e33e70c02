/** `core.flow.If`: one of two branches. */
import { dynamicText } from "../../model/flows/schema.ts";
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";

/** Output: `evaluationResult`. */
export const ifTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.If",
  aliases: ["core.tasks.flows.If"],
  description: "Runs one branch of tasks when a condition is true, and another one when it is false.",
  properties: {
    condition: dynamicText(
      "Evaluated once; an empty text, `false`, `0`, `-0` and null are false, anything else is true.",
      { required: true },
    ),
    then: { type: "tasks", required: true, description: "Tasks to run when the condition is true." },
    else: { type: "tasks", description: "Tasks to run when the condition is false." },
    ...HANDLER_PROPERTIES,
  },
  outputs: {
    evaluationResult: { type: "boolean", description: "Whether the condition was true." },
  },
};
