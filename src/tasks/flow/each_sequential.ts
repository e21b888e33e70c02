/** `core.flow.EachSequential`: legacy ForEach; one value at a time. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { HANDLER_PROPERTIES, ITERATED_VALUES } from "./flowable_properties.ts";

/** Has no outputs. */
export const eachSequentialTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.EachSequential",
  aliases: ["core.tasks.flows.EachSequential"],
  description: "Runs its tasks once for each value of a list, one value after the other.",
  deprecated: "use `core.flow.ForEach`",
  properties: {
    value: ITERATED_VALUES,
    tasks: { type: "tasks", required: true, description: "Tasks to run for each value, in this order." },
    ...HANDLER_PROPERTIES,
  },
  outputs: {},
};
