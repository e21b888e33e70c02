/** `mongodb.Load` and `Bulk`. https://www.mongodb.com/docs/manual/reference/method/Bulk/ */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { batches } from "../given_maps.ts";
import { readRows } from "../row_files.ts";
import { type Bson, type BsonDocument, fromBson, serialize, toDocument } from "./documents.ts";
import { tagsOf } from "./find.ts";
import { COLLECTION_PROPERTIES, type MongoSession, withMongo } from "./session.ts";
import { changeOf, withId } from "./write.ts";

/** A write, as its command has it. */
interface Write {
  readonly command: "insert" | "update" | "delete";
  readonly bytes: Uint8Array;
}

/** Most bytes of the documents of a command; servers take 48 MB. */
const MAX_COMMAND_BYTES = 16 * 1024 * 1024;

const BULK_PROPERTIES: PropertySchemas = Object.freeze({
  ...COLLECTION_PROPERTIES,
  from: dynamicText("Storage URI of the file.", { required: true }),
  chunk: dynamicProperty("integer", "Writes of a request.", { default: 1000, minimum: 1, maximum: 100_000 }),
});

const count = (description: string) => ({ type: "integer", description }) as const;

const BULK_OUTPUTS: PropertySchemas = Object.freeze({
  size: count("Number of rows of the file."),
  insertedCount: count("Number of documents that were inserted."),
  matchedCount: count("Number of documents that were found for updates."),
  modifiedCount: count("Number of documents that were changed."),
  deletedCount: count("Number of documents that were deleted."),
});

const METRICS = {
  records: { type: "counter", description: "Number of rows of the file." },
  "requests.count": { type: "counter", description: "Number of requests." },
} as const;

/** Documents are inserted in their order; a failure leaves those before it. */
export const load = defineTask({
  type: "mongodb.Load",
  title: "Load a file into MongoDB",
  description: "Inserts the rows of a file of Ion or JSON as documents of a collection.",
  properties: {
    ...BULK_PROPERTIES,
    idKey: dynamicText("Field whose value becomes the id of the document, an ObjectId."),
    removeIdKey: dynamicFlag(true, "Whether that field is removed."),
  },
  outputs: BULK_OUTPUTS,
  metrics: METRICS,
  examples: [{
    title: "Load the rows of a query",
    yaml: `id: load
type: io.svc.plugin.mongodb.Load
connection:
  uri: "{{ secret('MONGODB_URI') }}"
database: shop
collection: orders
from: "{{ outputs.query.uri }}"`,
  }],
  async run(context) {
    const { idKey, removeIdKey } = context.properties;
    const key = optionalText(idKey);
    return await writeRows(context, (bson, row) => {
      const document = toDocument(bson, row);
      if (key !== undefined) {
        document.set("_id", objectIdOf(bson, ownProperty(row, key), key));
        if (removeIdKey !== false && key !== "_id") document.delete(key);
      }
      return { command: "insert", bytes: serialize(bson, withId(bson, document)) };
    });
  },
});

function objectIdOf(bson: Bson, value: JsonValue | undefined, key: string) {
  const text = String(value);
  if (/^[0-9a-f]{24}$/i.test(text)) return new bson.ObjectId(text);
  throw new Error(
    `Invalid idKey: the value of "${key}" must have 24 hexadecimal digits, and it is "${text}"`,
  );
}

/** Each row has one member, the name of a write. */
export const bulk = defineTask({
  type: "mongodb.Bulk",
  title: "Change many documents of MongoDB",
  description:
    "Runs the writes of a file, one a line: `insertOne`, `replaceOne`, `updateOne`, `updateMany`, `deleteOne` and `deleteMany`, in this order of lines. A failure leaves the writes before it.",
  properties: BULK_PROPERTIES,
  outputs: BULK_OUTPUTS,
  metrics: METRICS,
  examples: [{
    title: "Insert and delete documents",
    yaml: `id: changes
namespace: company.team
tasks:
  - id: writes
    type: io.svc.plugin.core.storage.Write
    content: |
      {"insertOne": {"name": "Ada", "city": "London"}}
      {"deleteMany": {"filter": {"city": "Paris"}}}
  - id: bulk
    type: io.svc.plugin.mongodb.Bulk
    connection:
      uri: "{{ secret('MONGODB_URI') }}"
    database: shop
    collection: people
    from: "{{ outputs.writes.uri }}"`,
  }],
  run: (context) => writeRows(context, writeOf),
});

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ["replaceOne", "REPLACE_ONE"],
  ["updateOne", "UPDATE_ONE"],
  ["updateMany", "UPDATE_MANY"],
]);
const UPDATE_OPTIONS = ["upsert", "collation", "arrayFilters", "hint"];

/** @throws Error it is no write */
function writeOf(bson: Bson, row: JsonObject): Write {
  const [[name, given] = ["", null]] = Object.entries<JsonValue>(row);
  if (!isJsonObject(given)) throw new Error(`Invalid write "${name}": it must have a document`);
  if (name === "insertOne") {
    const { document } = given;
    const inserted = isJsonObject(document) && Object.keys(given).length === 1 ? document : given;
    return { command: "insert", bytes: serialize(bson, withId(bson, toDocument(bson, inserted))) };
  }
  const filter = toDocument(bson, memberOf(name, given, "filter"));
  if (name === "deleteOne" || name === "deleteMany") {
    const entry = new Map<string, unknown>([["q", filter], ["limit", name === "deleteOne" ? 1 : 0]]);
    return { command: "delete", bytes: serialize(bson, entry) };
  }
  const operation = OPERATIONS.get(name);
  if (operation === undefined) {
    throw new Error(
      `Invalid write "${name}": it must be insertOne, ${
        [...OPERATIONS.keys()].join(", ")
      }, deleteOne or deleteMany`,
    );
  }
  const member = name === "replaceOne" ? "replacement" : "update";
  const document = toDocument(bson, memberOf(name, given, member));
  const change: BsonDocument = changeOf({ filter, document, operation });
  for (const [option, value] of toDocument(bson, given)) {
    if (UPDATE_OPTIONS.includes(option)) change.set(option, value);
  }
  return { command: "update", bytes: serialize(bson, change) };
}

function memberOf(name: string, given: JsonObject, member: string): JsonObject {
  const value = ownProperty(given, member);
  if (isJsonObject(value)) return value;
  throw new Error(`Invalid write "${name}": its ${member} must be a map`);
}

async function writeRows(
  context: TaskContext,
  writeOfRow: (bson: Bson, row: JsonObject) => Write,
): Promise<JsonObject> {
  const { from, chunk } = context.properties;
  const path = await context.fetchFile(String(from));
  const counts = { size: 0, insertedCount: 0, matchedCount: 0, modifiedCount: 0, deletedCount: 0 };
  let requests = 0;
  await withMongo(context, async (session) => {
    const writes = async function* () {
      for await (const row of readRows(path)) {
        counts.size++;
        if (!isJsonObject(row)) throw new Error(`Cannot write row ${counts.size}: it is no map`);
        yield writeOfRow(session.bson, row);
      }
    };
    const limits = {
      maxCount: Number(chunk),
      maxBytes: MAX_COMMAND_BYTES,
      sizeOf: ({ bytes }: Write) => bytes.length,
    };
    for await (const batch of batches(writes(), limits)) {
      for (const group of sameCommands(batch)) {
        requests++;
        addCounts(counts, await send(session, group));
      }
    }
  });
  const tags = tagsOf(context);
  context.metric("records", counts.size, { tags });
  context.metric("requests.count", requests, { tags });
  return counts;
}

/** Neighbours with the same command. */
function sameCommands(writes: readonly Write[]): Write[][] {
  const groups: Write[][] = [];
  for (const write of writes) {
    const last = groups.at(-1);
    if (last?.[0]?.command === write.command) last.push(write);
    else groups.push([write]);
  }
  return groups;
}

const DOCUMENTS = { insert: "documents", update: "updates", delete: "deletes" } as const;

interface Counts {
  insertedCount: number;
  matchedCount: number;
  modifiedCount: number;
  deletedCount: number;
}

async function send(session: MongoSession, group: readonly Write[]): Promise<Counts> {
  const { bson, collection } = session;
  const command = group[0]?.command ?? "insert";
  const reply = await session.command(
    `${command} documents of "${collection}"`,
    new Map<string, unknown>([[command, collection], ["ordered", true]]),
    { name: DOCUMENTS[command], bytes: group.map(({ bytes }) => bytes) },
  );
  const n = Number(fromBson(bson, reply.n));
  const upserted = Array.isArray(reply.upserted) ? reply.upserted.length : 0;
  return {
    insertedCount: command === "insert" ? n : 0,
    matchedCount: command === "update" ? n - upserted : 0,
    modifiedCount: command === "update" ? Number(fromBson(bson, reply.nModified)) : 0,
    deletedCount: command === "delete" ? n : 0,
  };
}

function addCounts(counts: Counts, further: Counts): void {
  counts.insertedCount += further.insertedCount;
  counts.matchedCount += further.matchedCount;
  counts.modifiedCount += further.modifiedCount;
  counts.deletedCount += further.deletedCount;
}
