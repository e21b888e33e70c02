/** `core.flow.AllowFailure`: tasks that may fail. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";

/** Has no outputs. */
export const allowFailureTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.AllowFailure",
  aliases: ["core.tasks.flows.AllowFailure"],
  description:
    "Runs its tasks one after the other; when one fails it ends with a warning and the flow goes on.",
  properties: {
    tasks: { type: "tasks", required: true, description: "Tasks to run, in this order." },
    ...HANDLER_PROPERTIES,
  },
  outputs: {},
};
