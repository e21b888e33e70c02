/** `mongodb.InsertOne`, `Update` and `Delete`. https://www.mongodb.com/docs/manual/reference/command/update/ */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { dynamicChoice, dynamicProperty } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { type Bson, type BsonDocument, documentOf, fromBson } from "./documents.ts";
import { tagsOf } from "./find.ts";
import { COLLECTION_PROPERTIES, withMongo } from "./session.ts";

const EXAMPLE = `connection:
  uri: "{{ secret('MONGODB_URI') }}"
database: shop
collection: orders`;

const ACKNOWLEDGED = {
  type: "boolean",
  description: "Whether the server has confirmed the change.",
} as const;

/** Outputs: `insertedId` and `wasAcknowledged`. */
export const insertOne = defineTask({
  type: "mongodb.InsertOne",
  title: "Insert a document into MongoDB",
  description: "Inserts one document into a collection.",
  properties: {
    ...COLLECTION_PROPERTIES,
    document: dynamicProperty("any", "The document: a map, or its JSON.", { required: true }),
  },
  outputs: {
    insertedId: { type: "string", description: "Id of the document." },
    wasAcknowledged: ACKNOWLEDGED,
  },
  metrics: { "inserted.count": { type: "counter", description: "Number of documents." } },
  examples: [{
    title: "Insert an order",
    yaml: `id: insert
type: io.svc.plugin.mongodb.InsertOne
${EXAMPLE}
document:
  customer: "{{ inputs.customer }}"
  total: 12.5`,
  }],
  async run(context) {
    const insertedId = await withMongo(context, async ({ bson, collection, command }) => {
      const document = withId(bson, documentOf(bson, context.properties.document, "document"));
      const insert = new Map<string, unknown>([["insert", collection], ["documents", [document]]]);
      await command(`insert a document into "${collection}"`, insert);
      return idText(fromBson(bson, document.get("_id")));
    });
    context.metric("inserted.count", 1, { tags: tagsOf(context) });
    return { insertedId, wasAcknowledged: true };
  },
});

/** A document with an id: clients give it. */
export function withId(bson: Bson, document: BsonDocument): BsonDocument {
  return document.has("_id") ? document : new Map([["_id", new bson.ObjectId()], ...document]);
}

function idText(id: JsonValue): string {
  return typeof id === "string" ? id : JSON.stringify(id);
}

/** Outputs: `upsertedId`, `wasAcknowledged`, `matchedCount` and `modifiedCount`. */
export const update = defineTask({
  type: "mongodb.Update",
  title: "Update documents of MongoDB",
  description: "Changes or replaces documents of a collection.",
  properties: {
    ...COLLECTION_PROPERTIES,
    filter: dynamicProperty("any", "Which documents: a map, or its JSON.", { required: true }),
    document: dynamicProperty(
      "any",
      "What is changed, with operators such as `$set`, or the new document: a map, or its JSON.",
      { required: true },
    ),
    operation: dynamicChoice(
      ["UPDATE_ONE", "UPDATE_MANY", "REPLACE_ONE"],
      "UPDATE_ONE",
      "Whether the first document that is found is changed or replaced, or all are changed.",
    ),
  },
  outputs: {
    upsertedId: { type: "string", description: "Id of a document that was created." },
    wasAcknowledged: ACKNOWLEDGED,
    matchedCount: { type: "integer", description: "Number of documents that were found." },
    modifiedCount: { type: "integer", description: "Number of documents that were changed." },
  },
  metrics: { "updated.count": { type: "counter", description: "Number of documents that were changed." } },
  examples: [{
    title: "Close an order",
    yaml: `id: close
type: io.svc.plugin.mongodb.Update
${EXAMPLE}
filter:
  _id:
    $oid: "{{ inputs.order }}"
document:
  $set:
    state: closed`,
  }],
  async run(context) {
    const { filter, document, operation } = context.properties;
    const outputs = await withMongo(context, async ({ bson, collection, command }): Promise<JsonObject> => {
      const change = changeOf({
        filter: documentOf(bson, filter, "filter"),
        document: documentOf(bson, document, "document"),
        operation: String(operation),
      });
      const reply = await command(
        `update documents of "${collection}"`,
        new Map<string, unknown>([["update", collection], ["updates", [change]]]),
      );
      const [upserted] = Array.isArray(reply.upserted) ? reply.upserted : [];
      return {
        ...upserted && { upsertedId: idText(fromBson(bson, upserted._id)) },
        wasAcknowledged: true,
        matchedCount: fromBson(bson, reply.n),
        modifiedCount: fromBson(bson, reply.nModified),
      };
    });
    context.metric("updated.count", Number(outputs.modifiedCount), { tags: tagsOf(context) });
    return outputs;
  },
});

/** A change of documents. */
interface DocumentChange {
  readonly filter: BsonDocument;
  readonly document: BsonDocument;
  /** `UPDATE_ONE`, `UPDATE_MANY` or `REPLACE_ONE`. */
  readonly operation: string;
}

/** An entry of `updates`. @throws Error the document is no such change: the server would replace or empty documents */
export function changeOf({ filter, document, operation }: DocumentChange): BsonDocument {
  const isReplacement = operation === "REPLACE_ONE";
  const [first = ""] = document.keys();
  if (isReplacement && first.startsWith("$")) {
    throw new Error(`Invalid document: a replacement must not have the operator ${first}; use UPDATE_ONE`);
  }
  if (!isReplacement && !first.startsWith("$")) {
    throw new Error("Invalid document: a change needs operators such as $set; use REPLACE_ONE to replace");
  }
  return new Map<string, unknown>([["q", filter], ["u", document], ["multi", operation === "UPDATE_MANY"]]);
}

/** Outputs: `wasAcknowledged` and `deletedCount`. */
export const deleteDocuments = defineTask({
  type: "mongodb.Delete",
  title: "Delete documents of MongoDB",
  description: "Deletes documents of a collection.",
  properties: {
    ...COLLECTION_PROPERTIES,
    filter: dynamicProperty("any", "Which documents: a map, or its JSON; default is all."),
    operation: dynamicChoice(
      ["DELETE_ONE", "DELETE_MANY"],
      "DELETE_ONE",
      "Whether the first document that is found is deleted, or all.",
    ),
  },
  outputs: {
    wasAcknowledged: ACKNOWLEDGED,
    deletedCount: { type: "integer", description: "Number of documents that were deleted." },
  },
  metrics: { "deleted.count": { type: "counter", description: "Number of documents that were deleted." } },
  async run(context) {
    const { filter, operation } = context.properties;
    const deletedCount = await withMongo(context, async ({ bson, collection, command }) => {
      const entry = new Map<string, unknown>([
        ["q", documentOf(bson, filter, "filter")],
        ["limit", operation === "DELETE_MANY" ? 0 : 1],
      ]);
      const deletion = new Map<string, unknown>([["delete", collection], ["deletes", [entry]]]);
      const reply = await command(`delete documents of "${collection}"`, deletion);
      return fromBson(bson, reply.n);
    });
    context.metric("deleted.count", Number(deletedCount), { tags: tagsOf(context) });
    return { wasAcknowledged: true, deletedCount };
  },
});
