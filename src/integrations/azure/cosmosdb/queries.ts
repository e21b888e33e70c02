/** `azure.storage.cosmosdb.Query` and `Queries`. https://learn.microsoft.com/en-us/rest/api/cosmos-db/query-documents */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  setOwnProperty,
  stringifyJson,
} from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../../model/tasks/task_definition.ts";
import { OutputRows } from "../../fetched_rows.ts";
import { COSMOS, CosmosClient, partitionHeader, partitionValues } from "./cosmos_client.ts";

const PARTITION: PropertySchemas = Object.freeze({
  partitionKey: dynamicProperty(
    "map",
    "Members of the partition key, such as `region: europe`; default is each partition.",
  ),
  partitionKeyDefinition: dynamicProperty(
    "map",
    "`paths` of the partition key, such as `[/region]`; needed with `partitionKey`.",
  ),
  feedRangePartitionKey: dynamicProperty("map", "As `partitionKey`."),
  excludeRegions: dynamicProperty("list", "Has no effect: the region of the endpoint is used.", {
    ignored: true,
  }),
});

/** The header for the partition that a query names, or for all of them. @throws Error it is not named in full */
function scopeOf(
  { partitionKey, feedRangePartitionKey, partitionKeyDefinition }: JsonObject,
): Record<string, string> {
  const key = isJsonObject(partitionKey) ? partitionKey : feedRangePartitionKey;
  const paths = isJsonObject(partitionKeyDefinition) ? partitionKeyDefinition.paths : undefined;
  if (!isJsonObject(key)) return { "x-ms-documentdb-query-enablecrosspartition": "True" };
  if (!Array.isArray(paths) || paths.length === 0) {
    throw new Error("Missing partitionKeyDefinition: partitionKey needs the paths of the key");
  }
  return partitionHeader(partitionValues(key, paths.map(String)));
}

/** The results of all pages. @throws Error the query is refused, or its results are too large */
async function results(client: CosmosClient, given: JsonObject, name: string): Promise<JsonValue[]> {
  const query = optionalText(given.query);
  if (query === undefined) throw new Error(`Missing query${name}`);
  const rows = new OutputRows(), scope = scopeOf(given);
  for (let next: string | undefined = ""; next !== undefined;) {
    const { text, headers } = await client.send({
      method: "POST",
      feed: "docs",
      headers: {
        "Content-Type": "application/query+json",
        "x-ms-documentdb-isquery": "True",
        ...scope,
        ...next === "" ? {} : { "x-ms-continuation": next },
      },
      body: stringifyJson({ query, parameters: [] }),
      operation: `run the query${name}`,
      isRepeatable: true,
    });
    const page = await tryParseLongJson(text);
    const documents = isJsonObject(page) ? page.Documents : undefined;
    for (const row of Array.isArray(documents) ? documents : []) rows.add(row);
    next = optionalText(headers["x-ms-continuation"]);
  }
  return rows.list;
}

/** Output: `queryResults`. */
export const cosmosQuery = defineTask({
  type: "azure.storage.cosmosdb.Query",
  title: "Query Azure Cosmos DB",
  description:
    "Runs a query on a container. Without a partition it reads all of them; then the API of Azure orders and aggregates only " +
    "if the container has one physical partition.",
  properties: { ...COSMOS, query: dynamicText("Query in SQL.", { required: true }), ...PARTITION },
  outputs: {
    queryResults: { type: "list", description: "The results." },
  },
  metrics: { "records.count": { type: "counter", description: "Number of results." } },
  examples: [{
    title: "Read the orders of a region",
    yaml: `id: query
type: io.svc.plugin.azure.storage.cosmosdb.Query
connectionString: "{{ secret('COSMOS_CONNECTION') }}"
databaseId: shop
containerId: orders
query: SELECT * FROM c WHERE c.state = 'open'
partitionKeyDefinition:
  paths: [/region]
partitionKey:
  region: europe`,
  }],
  async run(context) {
    const queryResults = await results(new CosmosClient(context), context.properties, "");
    context.metric("records.count", queryResults.length);
    return { queryResults };
  },
});

/** Output: `results`, by the name of the query. */
export const cosmosQueries = defineTask({
  type: "azure.storage.cosmosdb.Queries",
  title: "Run queries on Azure Cosmos DB",
  description: "Runs named queries on a container, one after the other.",
  properties: {
    ...COSMOS,
    queries: dynamicProperty(
      "map",
      "By name: `query`, and maybe `partitionKey` and `partitionKeyDefinition`.",
      {
        required: true,
      },
    ),
  },
  outputs: { results: { type: "map", description: "The results of each query." } },
  async run(context) {
    const client = new CosmosClient(context), { queries } = context.properties;
    const all: JsonObject = {};
    for (const [name, given] of Object.entries(isJsonObject(queries) ? queries : {})) {
      const [query = {}] = objectsOf([given]);
      setOwnProperty(all, name, await results(client, query, ` "${name}"`));
    }
    return { results: all };
  },
});
