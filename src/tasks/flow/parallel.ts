/** `core.flow.Parallel`: runs its tasks at the same time. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { CONCURRENT, HANDLER_PROPERTIES, ON_CHILD_FAILURE } from "./flowable_properties.ts";

/** Has no outputs. */
export const parallelTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.Parallel",
  aliases: ["core.tasks.flows.Parallel"],
  description: "Runs its tasks at the same time.",
  properties: {
    tasks: { type: "tasks", required: true, description: "Tasks to run in parallel." },
    concurrent: CONCURRENT,
    onChildFailure: ON_CHILD_FAILURE,
    ...HANDLER_PROPERTIES,
  },
  outputs: {},
};
