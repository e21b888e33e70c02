/** `mongodb.Find`, `Aggregate` and `Trigger`. https://www.mongodb.com/docs/manual/reference/command/find/ */
import { type JsonObject, type JsonValue, tryParseJson } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, type WorkContext } from "../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import { fetchedRows } from "../fetched_rows.ts";
import { type BsonDocument, documentOf, rowOf } from "./documents.ts";
import { COLLECTION_PROPERTIES, type MongoSession, withMongo } from "./session.ts";
import type { MongoReply } from "./wire.ts";

/** Documents of a reply. */
const BATCH_SIZE = 1000;

const FOUND: PropertySchemas = Object.freeze({
  rows: { type: "list", description: "The documents.", items: { type: "map", description: "A document." } },
  size: { type: "integer", description: "Number of documents." },
  uri: { type: "string", description: "Storage URI of the documents as Ion, if they are stored." },
});

const FIND_PROPERTIES: PropertySchemas = Object.freeze({
  ...COLLECTION_PROPERTIES,
  filter: dynamicProperty("any", "Which documents: a map, or its JSON; default is all."),
  projection: dynamicProperty("any", "Which fields: a map, or its JSON; default is all."),
  sort: dynamicProperty("any", "Order by fields: a map, or its JSON."),
  limit: dynamicProperty("integer", "Most documents.", { minimum: 0 }),
  skip: dynamicProperty("integer", "Documents to leave out at the beginning.", { minimum: 0 }),
  store: dynamicFlag(false, "Whether the documents are stored as a file, in place of an output."),
});

const EXAMPLE = `connection:
  uri: "{{ secret('MONGODB_URI') }}"
database: shop
collection: orders`;

/** Outputs: `rows` or `uri`, and `size`. */
export const find = defineTask({
  type: "mongodb.Find",
  title: "Read documents of MongoDB",
  description: "Finds documents of a collection.",
  properties: FIND_PROPERTIES,
  outputs: FOUND,
  metrics: { records: { type: "counter", description: "Number of documents." } },
  examples: [{
    title: "Store all open orders",
    yaml: `id: find
type: io.svc.plugin.mongodb.Find
${EXAMPLE}
filter:
  state: open
  total:
    $gt: 100
store: true`,
  }],
  async run(context) {
    const found = await foundDocuments(context);
    context.metric("records", Number(found.size), { tags: tagsOf(context) });
    return found;
  },
});

/** Database and collection, for metrics. */
export function tagsOf({ properties }: Pick<WorkContext, "properties">): Record<string, string> {
  return { database: String(properties.database), collection: String(properties.collection) };
}

async function foundDocuments(context: WorkContext): Promise<JsonObject> {
  const { filter, projection, sort, limit, skip, store } = context.properties;
  return await withMongo(context, async (session) => {
    const { bson, collection } = session;
    const command: BsonDocument = new Map<string, unknown>([
      ["find", collection],
      ["filter", documentOf(bson, filter, "filter")],
      ["batchSize", BATCH_SIZE],
    ]);
    if (projection !== undefined) command.set("projection", documentOf(bson, projection, "projection"));
    if (sort !== undefined) command.set("sort", documentOf(bson, sort, "sort"));
    if (limit !== undefined) command.set("limit", Number(limit));
    if (skip !== undefined) command.set("skip", Number(skip));
    const rows = documentsOf(session, `find documents of "${collection}"`, command);
    return await fetchedRows(context, rows, store === true ? "STORE" : "FETCH");
  });
}

/** The documents of a cursor, read as they are needed. */
async function* documentsOf(
  { bson, collection, command }: MongoSession,
  operation: string,
  first: BsonDocument,
  batchSize = BATCH_SIZE,
): AsyncGenerator<JsonObject> {
  let reply = await command(operation, first);
  for (;;) {
    const { id, firstBatch, nextBatch } = reply.cursor as MongoReply;
    const batch = firstBatch ?? nextBatch;
    for (const document of Array.isArray(batch) ? batch : []) yield rowOf(bson, document);
    if (String(id) === "0") return;
    reply = await command(
      operation,
      new Map<string, unknown>([["getMore", id], ["collection", collection], ["batchSize", batchSize]]),
    );
  }
}

/** Outputs: `rows` or `uri`, and `size`. */
export const aggregate = defineTask({
  type: "mongodb.Aggregate",
  title: "Aggregate documents of MongoDB",
  description: "Runs a pipeline on a collection.",
  properties: {
    ...COLLECTION_PROPERTIES,
    pipeline: dynamicProperty("list", "Stages of the pipeline: a list of maps, or its JSON.", {
      required: true,
      orText: true,
      items: { type: "any", description: "A stage." },
    }),
    allowDiskUse: dynamicFlag(true, "Whether the server may use temporary files."),
    maxTimeMs: dynamicProperty("integer", "Longest time of the pipeline in milliseconds; 0 for no limit.", {
      default: 60_000,
      minimum: 0,
    }),
    batchSize: dynamicProperty("integer", "Documents of a reply.", {
      default: BATCH_SIZE,
      minimum: 1,
      maximum: 100_000,
    }),
    store: dynamicChoice(["FETCH", "STORE"], "FETCH", "Whether documents are an output, or a file."),
  },
  outputs: FOUND,
  metrics: { records: { type: "counter", description: "Number of documents." } },
  examples: [{
    title: "Sum up the orders of each customer",
    yaml: `id: sums
type: io.svc.plugin.mongodb.Aggregate
${EXAMPLE}
pipeline:
  - $group:
      _id: $customer
      total:
        $sum: $total`,
  }],
  async run(context) {
    const { pipeline, allowDiskUse, maxTimeMs, batchSize, store } = context.properties;
    const stages = stagesOf(pipeline);
    const found = await withMongo(context, async (session) => {
      const { bson, collection } = session;
      const command: BsonDocument = new Map<string, unknown>([
        ["aggregate", collection],
        ["pipeline", stages.map((stage) => documentOf(bson, stage, "pipeline"))],
        ["cursor", new Map([["batchSize", Number(batchSize)]])],
        ["allowDiskUse", allowDiskUse !== false],
      ]);
      if (Number(maxTimeMs) > 0) command.set("maxTimeMS", Number(maxTimeMs));
      const operation = `aggregate documents of "${collection}"`;
      const rows = documentsOf(session, operation, command, Number(batchSize));
      return await fetchedRows(context, rows, String(store));
    });
    context.metric("records", Number(found.size), { tags: tagsOf(context) });
    return found;
  },
});

function stagesOf(pipeline: JsonValue | undefined): readonly JsonValue[] {
  const given = typeof pipeline === "string" ? tryParseJson(pipeline) : pipeline;
  if (Array.isArray(given)) return given;
  throw new Error("Invalid pipeline: it must be a list of maps, or its JSON");
}

/** Outputs: `rows` or `uri`, and `size`. */
export const mongodbTrigger = defineTrigger({
  type: "mongodb.Trigger",
  title: "Start when there are documents in MongoDB",
  description:
    "Finds documents of a collection and starts one execution for all of them. It finds the same documents again with the next poll, unless the flow changes them.",
  properties: FIND_PROPERTIES,
  outputs: FOUND,
  examples: [{
    title: "Start for open orders",
    yaml: `id: orders
type: io.svc.plugin.mongodb.Trigger
interval: PT5M
${EXAMPLE}
filter:
  state: open`,
  }],
  async poll(context) {
    const found = await foundDocuments(context);
    return found.size === 0 ? undefined : found;
  },
});
