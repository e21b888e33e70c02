/** `core.flow.ForEachItem`: an execution of another flow for each batch of a file. */
import type { PropertySchemas } from "../../model/schema.ts";
import type { PlannedTaskType } from "../../model/task_catalog.ts";
import { HANDLER_PROPERTIES } from "./handlers.ts";
import { SUBFLOW_PROPERTIES } from "./subflow_properties.ts";

const BATCH: PropertySchemas = Object.freeze({
  rows: { type: "integer", dynamic: true, default: 1, minimum: 1, description: "Lines in each batch." },
  bytes: {
    type: "string",
    dynamic: true,
    description: "Size of each batch, such as `10MB`, instead of `rows`.",
  },
  partitions: {
    type: "integer",
    dynamic: true,
    minimum: 1,
    description: "Number of batches, instead of `rows`.",
  },
  separator: { type: "string", dynamic: true, default: "\n", description: "Text that ends an item." },
});

/** Outputs: those of the parts that the task runs as, `<id>_split`, `<id>_items` and `<id>_merge`. */
export const forEachItemTask: PlannedTaskType = {
  form: "planned",
  type: "core.flow.ForEachItem",
  aliases: ["core.tasks.flows.ForEachItem"],
  description: "Splits a file into batches and starts an execution of another flow for each of them.",
  properties: {
    items: {
      type: "string",
      required: true,
      dynamic: true,
      description: "Storage URI of the file to split.",
    },
    batch: {
      type: "object",
      dynamic: true,
      properties: BATCH,
      description: "How the file is split: by one of `rows`, `bytes` and `partitions`.",
    },
    ...SUBFLOW_PROPERTIES,
    inputs: {
      type: "map",
      description:
        "Inputs of each execution; `taskrun.items` is the URI of its batch, `taskrun.iteration` its number.",
    },
    errors: HANDLER_PROPERTIES.errors ?? { type: "tasks", description: "Tasks that run after a failure." },
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
