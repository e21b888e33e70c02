/** `core.flow.ForEach`: the same tasks for each value of a list. */
import type { FlowableTaskType } from "../../model/task_catalog.ts";
import { HANDLER_PROPERTIES } from "./handlers.ts";
import { ITERATED_VALUES } from "./iterated_values.ts";

/** Has no outputs of its own: those of its tasks are under `outputs.<task>.<value>`. */
export const forEachTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.ForEach",
  aliases: ["core.tasks.flows.ForEach"],
  description: "Runs its tasks once for each value of a list; they read the value as `taskrun.value`.",
  properties: {
    values: ITERATED_VALUES,
    tasks: { type: "tasks", required: true, description: "Tasks to run for each value, in this order." },
    concurrencyLimit: {
      type: "integer",
      default: 1,
      minimum: 0,
      description: "For how many values the tasks run at once; `0` means no limit.",
    },
    ...HANDLER_PROPERTIES,
  },
  outputs: {},
};
