/** `azure.storage.cosmosdb.CreateItem`, `Delete` and `Batch`. https://learn.microsoft.com/en-us/rest/api/cosmos-db/documents */
import { isJsonObject, type JsonObject, objectsOf, stringifyJson } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../../model/tasks/task_definition.ts";
import {
  CHARGE_OUTPUTS,
  chargeOf,
  COSMOS,
  CosmosClient,
  partitionHeader,
  partitionPaths,
  partitionValues,
} from "./cosmos_client.ts";

/** Items of a transaction. */
const MAX_BATCH = 100;
const EXAMPLE = `endpoint: https://account.documents.azure.com
tenantId: "{{ secret('AZURE_TENANT_ID') }}"
clientId: "{{ secret('AZURE_CLIENT_ID') }}"
clientSecret: "{{ secret('AZURE_CLIENT_SECRET') }}"
databaseId: shop
containerId: orders`;

function itemOf({ item }: JsonObject): JsonObject & { readonly id: string } {
  const id = isJsonObject(item) ? optionalText(item.id) : undefined;
  if (!isJsonObject(item) || id === undefined) throw new Error("Invalid item: it must be a map with an id");
  return { ...item, id };
}

/** Outputs: `item` and what the response tells. */
export const cosmosCreateItem = defineTask({
  type: "azure.storage.cosmosdb.CreateItem",
  title: "Create an item of Azure Cosmos DB",
  description: "Creates an item in a container. It fails if the partition has an item with this id.",
  properties: {
    ...COSMOS,
    item: dynamicProperty("map", "The item, with `id` and the members of the partition key.", {
      required: true,
    }),
  },
  outputs: {
    item: { type: "map", description: "The item as it is stored." },
    eTag: { type: "string", description: "Its version." },
    ...CHARGE_OUTPUTS,
  },
  examples: [{
    title: "Create an order",
    yaml: `id: create
type: io.svc.plugin.azure.storage.cosmosdb.CreateItem
${EXAMPLE}
item:
  id: "1"
  region: europe`,
  }],
  async run(context) {
    const client = new CosmosClient(context), item = itemOf(context.properties);
    const response = await client.send({
      method: "POST",
      feed: "docs",
      headers: {
        "Content-Type": "application/json",
        ...partitionHeader(partitionValues(item, await partitionPaths(client))),
      },
      body: stringifyJson(item),
      operation: `create the item "${item.id}"`,
      // A second request would find the item of the first one.
      isRepeatable: false,
    });
    const stored = await tryParseLongJson(response.text);
    return { item: stored ?? null, eTag: response.headers.etag ?? null, ...chargeOf(response) };
  },
});

/** Outputs: what the response tells. */
export const cosmosDelete = defineTask({
  type: "azure.storage.cosmosdb.Delete",
  title: "Delete an item of Azure Cosmos DB",
  description: "Deletes an item of a container. It succeeds if there is none.",
  properties: {
    ...COSMOS,
    item: dynamicProperty("map", "`id` of the item and the members of the partition key.", {
      required: true,
    }),
  },
  outputs: CHARGE_OUTPUTS,
  async run(context) {
    const client = new CosmosClient(context), item = itemOf(context.properties);
    const response = await client.send({
      method: "DELETE",
      feed: "docs",
      id: item.id,
      headers: partitionHeader(partitionValues(item, await partitionPaths(client))),
      operation: `delete the item "${item.id}"`,
      isRepeatable: true,
      accepted: [404],
    });
    return chargeOf(response);
  },
});

/** Outputs: `results`, and what the response tells. */
export const cosmosBatch = defineTask({
  type: "azure.storage.cosmosdb.Batch",
  title: "Create items of one partition of Azure Cosmos DB",
  description: "Creates up to 100 items of one partition in a transaction: all of them, or none.",
  properties: {
    ...COSMOS,
    partitionKeyValue: dynamicText("Value of the partition key, which all items have.", { required: true }),
    items: dynamicProperty("list", "The items, each with `id` and the member of the partition key.", {
      required: true,
      orText: true,
      items: { type: "map", description: "An item." },
    }),
  },
  outputs: {
    results: { type: "list", description: "`statusCode`, `eTag` and `item` of each item." },
    successStatusCode: { type: "boolean", description: "Always true: else the task fails." },
    ...CHARGE_OUTPUTS,
  },
  async run(context) {
    const { items, partitionKeyValue } = context.properties;
    const given = Array.isArray(items) ? objectsOf(items) : [];
    if (given.length === 0) throw new Error("Invalid items: there are none");
    if (given.length > MAX_BATCH) {
      throw new Error(`Cannot create ${given.length} items: a transaction has at most ${MAX_BATCH}`);
    }
    const operation = `create ${given.length} items`;
    const response = await new CosmosClient(context).send({
      method: "POST",
      feed: "docs",
      headers: {
        "Content-Type": "application/json",
        "x-ms-cosmos-is-batch-request": "True",
        "x-ms-cosmos-batch-atomic": "True",
        ...partitionHeader([String(partitionKeyValue)]),
      },
      body: stringifyJson(given.map((resourceBody) => ({ operationType: "Create", resourceBody }))),
      operation,
      isRepeatable: false,
    });
    const results = await tryParseLongJson(response.text);
    const parts = Array.isArray(results) ? objectsOf(results) : [];
    // 424: another item of the transaction has failed.
    const failed = parts.findIndex(({ statusCode }) =>
      Number(statusCode) >= 300 && Number(statusCode) !== 424
    );
    if (failed >= 0) {
      const status = parts[failed]?.statusCode;
      throw new Error(`Cannot ${operation}: the response for the item "${given[failed]?.id}" was ${status}`);
    }
    return {
      results: parts.map(({ statusCode = null, eTag = null, resourceBody = null }) => ({
        statusCode,
        eTag,
        item: resourceBody,
      })),
      successStatusCode: true,
      ...chargeOf(response),
    };
  },
});
