/** `core.flow.Dag`: tasks in the order of their dependencies. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { CONCURRENT, HANDLER_PROPERTIES, ON_CHILD_FAILURE } from "./flowable_properties.ts";

/** Has no outputs. */
export const dagTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.Dag",
  aliases: ["core.tasks.flows.Dag"],
  description: "Runs each task as soon as the tasks that it depends on have ended.",
  properties: {
    tasks: {
      type: "dagTasks",
      required: true,
      description:
        "Entries with a `task` and, under `dependsOn`, the ids of the tasks that must end before it.",
    },
    concurrent: CONCURRENT,
    onChildFailure: ON_CHILD_FAILURE,
    ...HANDLER_PROPERTIES,
  },
  outputs: {},
};
