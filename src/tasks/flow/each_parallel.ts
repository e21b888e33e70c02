/** `core.flow.EachParallel`: legacy ForEach; all values and all of their tasks run in parallel. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { CONCURRENT, HANDLER_PROPERTIES, ITERATED_VALUES } from "./flowable_properties.ts";

/** Has no outputs. */
export const eachParallelTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.EachParallel",
  aliases: ["core.tasks.flows.EachParallel"],
  description: "Runs all its tasks for all values of a list at the same time.",
  deprecated: "use `core.flow.ForEach` with `concurrencyLimit: 0`",
  properties: {
    value: ITERATED_VALUES,
    concurrent: CONCURRENT,
    tasks: { type: "tasks", required: true, description: "Tasks to run for each value, in parallel." },
    ...HANDLER_PROPERTIES,
  },
  outputs: {},
};
