/** `core.flow.ForEachItem`: an execution of another flow for each batch of a file. */
import type { FlowableTaskType } from "../../model/tasks/task_catalog.ts";
import { BATCH, BATCHED_FILE } from "./batch_properties.ts";
import { HANDLER_PROPERTIES } from "./handlers.ts";
import { SUBFLOW_PROPERTIES } from "./subflow_properties.ts";

/** Outputs: those of the parts that the task runs as, `<id>_split`, `<id>_items` and `<id>_merge`. */
export const forEachItemTask: FlowableTaskType = {
  form: "flowable",
  type: "core.flow.ForEachItem",
  aliases: ["core.tasks.flows.ForEachItem"],
  description: "Splits a file into batches and starts an execution of another flow for each of them.",
  properties: {
    items: BATCHED_FILE,
    batch: BATCH,
    ...SUBFLOW_PROPERTIES,
    inputs: {
      type: "map",
      description:
        "Inputs of each execution; `taskrun.items` is the URI of its batch, `taskrun.iteration` its number.",
    },
    restartBehavior: {
      type: "string",
      values: ["RETRY_FAILED", "NEW_EXECUTION"],
      default: "NEW_EXECUTION",
      ignored: true,
      description: "What a restart of this execution does with those that this task has started.",
    },
    ...HANDLER_PROPERTIES,
  },
  outputs: {
    numberOfBatches: { type: "integer", description: "Number of batches, under `<id>_items`." },
    iterations: { type: "map", description: "Number of executions by state, under `<id>_items`." },
    subflowOutputs: {
      type: "string",
      description: "Storage URI of a file with the outputs of each execution on a line, under `<id>_merge`.",
    },
  },
};
