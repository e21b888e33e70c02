/** The tasks that a `core.flow.ForEachItem` is made of. */
import { isJsonObject, type JsonObject, stringifyJson } from "../../base/json.ts";
import { ITEM_PARTS } from "../../model/executions/for_each_item.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type {
  AttemptOutcome,
  FlowableTaskType,
  RunnableTaskType,
  TaskType,
} from "../../model/tasks/task_catalog.ts";
import { requiredTextOf } from "../property_values.ts";
import { gathered } from "../storage/pieces.ts";
import { readSplitRule, separatorOf, splitFile } from "../storage/split_file.ts";
import { BATCH, BATCHED_FILE } from "./batch_properties.ts";
import { SUBFLOW_PROPERTIES } from "./subflow_properties.ts";

/** Splits the file. Output: `splits`. */
const splitPart: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: ITEM_PARTS.split,
  aliases: [],
  description: "Splits a file into batches.",
  properties: { items: BATCHED_FILE, batch: BATCH },
  outputs: {
    splits: { type: "string", description: "Storage URI of a file with the URI of each batch on a line." },
  },
  run: split,
};

/** Starts the executions: the runtime does, the type says what is rendered. Outputs: `numberOfBatches` and `iterations`. */
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

/** Gathers the outputs of the executions. Output: `subflowOutputs`. */
const mergePart: RunnableTaskType = {
  form: "runnable",
  pure: false,
  type: ITEM_PARTS.merge,
  aliases: [],
  description: "Gathers the outputs of the executions in one file.",
  properties: {},
  outputs: {
    subflowOutputs: {
      type: "string",
      description: "Storage URI of a file with the outputs of each execution on a line.",
    },
  },
  run: merge,
};

/** Types that the runtime finds, and that are listed nowhere. */
export const FOR_EACH_ITEM_PARTS: readonly TaskType[] = Object.freeze([splitPart, itemsPart, mergePart]);

async function split(properties: JsonObject, context: RunContext): Promise<AttemptOutcome> {
  const batch = isJsonObject(properties.batch) ? properties.batch : {};
  const rule = readSplitRule(batch) ?? { by: "rows", size: 1 };
  const items = requiredTextOf(properties, "items");
  const uris = await splitFile(context, items, { rule, separator: separatorOf(batch) });
  const list = ReadableStream.from([new TextEncoder().encode(uris.map((uri) => `${uri}\n`).join(""))]);
  const { uri } = await context.ports.storage.write(context, ".txt", list);
  return { state: "SUCCESS", outputs: { splits: uri } };
}

async function merge(_properties: JsonObject, context: RunContext): Promise<AttemptOutcome> {
  const outputs = await context.ports.itemExecutions.outputs(context);
  if (!outputs) return { state: "SUCCESS", outputs: {} };
  const { uri } = await context.ports.storage.write(context, ".ion", gathered(linesOf(outputs)));
  return { state: "SUCCESS", outputs: { subflowOutputs: uri } };
}

async function* linesOf(outputs: AsyncIterable<JsonObject>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const each of outputs) yield encoder.encode(`${stringifyJson(each)}\n`);
}
