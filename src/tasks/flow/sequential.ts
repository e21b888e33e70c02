/** `core.flow.Sequential`: its tasks, one after the other. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";

/** Has no outputs. */
export const sequentialTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.Sequential",
  aliases: ["core.tasks.flows.Sequential"],
  description: "Runs its tasks one after the other.",
  properties: {
    tasks: { type: "tasks", required: true, description: "Tasks to run, in this order." },
    ...HANDLER_PROPERTIES,
  },
  outputs: {},
};
