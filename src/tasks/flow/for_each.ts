/** `core.flow.ForEach`: the same tasks for each value of a list. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { HANDLER_PROPERTIES, ITERATED_TASKS, ITERATED_VALUES } from "./flowable_properties.ts";

/** Has no outputs; those of its tasks are under `outputs.<task>.<value>`. */
export const forEachTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.ForEach",
  aliases: ["core.tasks.flows.ForEach"],
  description: "Runs its tasks once for each value of a list; they read the value as `taskrun.value`.",
  properties: {
    values: ITERATED_VALUES,
    ...ITERATED_TASKS,
    ...HANDLER_PROPERTIES,
  },
  outputs: {},
};
