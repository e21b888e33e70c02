/** `core.flow.ForEachItem`: an execution of another flow for each batch of a file. */
import { isJsonObject } from "../../base/json.ts";
import { FOR_EACH_ITEM, ITEM_PARTS } from "../../model/executions/for_each_item.ts";
import { dynamicProperty, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import type {
  AttemptOutcome,
  FlowableTaskType,
  RunnableTaskType,
  TaskType,
} from "../../model/tasks/task_catalog.ts";
import { isFileAddress } from "../local_files.ts";
import { requiredTextOf } from "../property_values.ts";
import { jsonLines } from "../storage/item_lines.ts";
import { gathered } from "../storage/pieces.ts";
import { readSplitRule, separatorOf, splitFile } from "../storage/split_file.ts";
import { HANDLER_PROPERTIES } from "./flowable_properties.ts";
import { SUBFLOW_PROPERTIES } from "./subflow.ts";

/** Characters of `items` that a message repeats. */
const MAX_SHOWN_CHARS = 200;

const BATCHED_FILE: PropertySchema = dynamicText("Storage URI of the file to split.", { required: true });

const BATCH: PropertySchema = dynamicProperty(
  "object",
  "How the file is split: by one of `rows`, `bytes`, `partitions` and `regexPattern`.",
  {
    properties: {
      rows: dynamicProperty("integer", "Lines in each batch.", { default: 1, minimum: 1 }),
      bytes: dynamicText("Size of each batch, such as `10MB`, instead of `rows`."),
      partitions: dynamicProperty("integer", "Number of batches, instead of `rows`.", { minimum: 1 }),
      regexPattern: dynamicText(
        "Regular expression with a group, instead of `rows`: the lines in which the group matches the same text are one batch.",
      ),
      separator: dynamicText("Text that ends an item, of at most 1,024 bytes.", { default: "\n" }),
    },
  },
);

/** Outputs: those of the parts that the task runs as, `<id>_split`, `<id>_items` and `<id>_merge`. */
export const forEachItemTask: FlowableTaskType = {
  form: "flowable",
  type: FOR_EACH_ITEM,
  aliases: ["core.tasks.flows.ForEachItem"],
  description: "Splits a file into batches and starts an execution of another flow for each of them.",
  properties: {
    items: BATCHED_FILE,
    batch: BATCH,
    ...SUBFLOW_PROPERTIES,
    inputs: {
      type: "map",
      description:
        "Inputs of each execution; `taskrun.items` is the URI of the batch, `taskrun.iteration` its number.",
    },
    restartBehavior: {
      type: "string",
      values: ["RETRY_FAILED", "NEW_EXECUTION"],
      default: "RETRY_FAILED",
      description:
        "What a restart of this execution does with the executions that this task has started and waited for: " +
        "restart the failed ones (`RETRY_FAILED`), or start new ones for all batches (`NEW_EXECUTION`).",
    },
    ...HANDLER_PROPERTIES,
  },
  outputs: {
    numberOfBatches: { type: "integer", description: "Number of batches, under `<id>_items`." },
    iterations: { type: "map", description: "Number of executions by state, under `<id>_items`." },
    subflowOutputs: {
      type: "string",
      description: "Storage URI of a file with the outputs of one execution per line, under `<id>_merge`.",
    },
  },
};

/** Splits the file. Output: `splits`. */
const splitPart: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: ITEM_PARTS.split,
  aliases: [],
  description: "Splits a file into batches.",
  properties: { items: BATCHED_FILE, batch: BATCH },
  outputs: {
    splits: { type: "string", description: "Storage URI of a file with the URI of one batch per line." },
  },
  async run(properties, context) {
    const batch = isJsonObject(properties.batch) ? properties.batch : {};
    const rule = readSplitRule(batch) ?? { by: "rows", size: 1 };
    const items = requiredTextOf(properties, "items");
    if (!isFileAddress(items)) {
      const shown = items.slice(0, MAX_SHOWN_CHARS);
      throw new Error(`Unable to split the items from ${shown}, this is not an internal storage URI!`);
    }
    const uris = await splitFile(context, items, { rule, separator: separatorOf(batch) });
    const list = ReadableStream.from([new TextEncoder().encode(uris.map((uri) => `${uri}\n`).join(""))]);
    const { uri } = await context.ports.storage.write(context, ".txt", list);
    return { state: "SUCCESS", outputs: { splits: uri } };
  },
};

/** Starts the executions; the runtime does that with the rendered properties. Outputs: `numberOfBatches`, `iterations`. */
const itemsPart: FlowableTaskType = {
  form: "flowable",
  type: ITEM_PARTS.items,
  aliases: [],
  description: "Starts an execution for each batch.",
  properties: SUBFLOW_PROPERTIES,
  outputs: {
    numberOfBatches: { type: "integer", description: "Number of batches." },
    iterations: { type: "map", description: "Number of executions by state." },
  },
};

/** Collects the outputs of the executions. Output: `subflowOutputs`. */
const mergePart: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: ITEM_PARTS.merge,
  aliases: [],
  description: "Collects the outputs of the executions in one file.",
  properties: {},
  outputs: {
    subflowOutputs: {
      type: "string",
      description: "Storage URI of a file with the outputs of one execution per line.",
    },
  },
  async run(_properties, context): Promise<AttemptOutcome> {
    const outputs = await context.ports.itemExecutions.outputs(context);
    if (!outputs) return { state: "SUCCESS", outputs: {} };
    const { uri } = await context.ports.storage.write(context, ".ion", gathered(jsonLines(outputs)));
    return { state: "SUCCESS", outputs: { subflowOutputs: uri } };
  },
};

/** Internal types: the runtime finds them by name, no list shows them. */
export const FOR_EACH_ITEM_PARTS: readonly TaskType[] = Object.freeze([splitPart, itemsPart, mergePart]);
