/** `aws.dynamodb.…`. https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/ */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, tryParseJson } from "../../base/json.ts";
import {
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../fetched_rows.ts";
import { fromAttributes, toAttributes } from "./attribute_values.ts";
import { AwsClient, CONNECTION } from "./client.ts";

const TABLE: PropertySchemas = Object.freeze({
  ...CONNECTION,
  tableName: dynamicText("Name of the table.", { required: true }),
});

const KEY: PropertySchema = dynamicProperty(
  "map",
  "Key of the item: its values by the names of the attributes.",
  {
    required: true,
  },
);

async function call(
  context: TaskContext,
  name: string,
  { isRepeatable, ...members }: JsonObject & { readonly isRepeatable?: boolean },
): Promise<JsonObject> {
  const { tableName = null } = context.properties;
  return await new AwsClient(context).call({
    service: "dynamodb",
    target: `DynamoDB_20120810.${name}`,
    operation: `call ${name} for the table "${tableName}"`,
    isRepeatable,
  }, { TableName: tableName, ...members });
}

function mapOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Output: `row`. */
export const dynamodbGetItem = defineTask({
  type: "aws.dynamodb.GetItem",
  title: "Read an item of DynamoDB",
  description: "Reads the item with a key.",
  properties: { ...TABLE, key: KEY },
  outputs: { row: { type: "map", description: "The item; absent if it does not exist." } },
  async run(context): Promise<JsonObject> {
    const Key = toAttributes(mapOf(context.properties.key));
    const { Item } = await call(context, "GetItem", { Key, isRepeatable: true });
    return isJsonObject(Item) ? { row: fromAttributes(Item) } : {};
  },
});

/** Creates or replaces the item. */
export const dynamodbPutItem = defineTask({
  type: "aws.dynamodb.PutItem",
  title: "Write an item of DynamoDB",
  description: "Creates an item, or replaces the one with the same key.",
  properties: {
    ...TABLE,
    item: dynamicProperty("any", "The item: a map, or the JSON text of one.", { required: true }),
  },
  async run(context) {
    const { item } = context.properties;
    const value = typeof item === "string" ? tryParseJson(item) : item;
    if (!isJsonObject(value)) throw new Error("Invalid item: it must be a map, or the JSON text of one");
    await call(context, "PutItem", { Item: toAttributes(value), isRepeatable: true });
  },
});

/** An item that does not exist is no error. */
export const dynamodbDeleteItem = defineTask({
  type: "aws.dynamodb.DeleteItem",
  title: "Delete an item of DynamoDB",
  description: "Deletes the item with a key.",
  properties: { ...TABLE, key: KEY },
  async run(context) {
    const Key = toAttributes(mapOf(context.properties.key));
    await call(context, "DeleteItem", { Key, isRepeatable: true });
  },
});

const SELECTION: PropertySchemas = Object.freeze({
  ...TABLE,
  filterExpression: dynamicText("Condition of the items."),
  expressionAttributeValues: dynamicProperty("map", "Values of expressions by their names, such as `:x`."),
  expressionAttributeNames: dynamicProperty(
    "map",
    "Names of attributes by those in expressions, such as `#x`.",
  ),
  limit: dynamicProperty("integer", "Most items that are read.", { minimum: 1 }),
  fetchType: { ...FETCH_TYPE, default: "STORE" },
});

/** Outputs: `size`, and what `fetchType` asks for. */
export const dynamodbQuery = defineTask({
  type: "aws.dynamodb.Query",
  title: "Query a table of DynamoDB",
  description: "Reads the items of a key, page by page.",
  properties: {
    ...SELECTION,
    keyConditionExpression: dynamicText("Condition of the key.", { required: true }),
    indexName: dynamicText("Name of the index to read."),
  },
  outputs: ROWS_OUTPUTS,
  run: async (context) => await fetchedItems(context, "Query"),
});

/** Outputs: `size`, and what `fetchType` asks for. */
export const dynamodbScan = defineTask({
  type: "aws.dynamodb.Scan",
  title: "Read a table of DynamoDB",
  description: "Reads all items of a table, page by page.",
  properties: SELECTION,
  outputs: ROWS_OUTPUTS,
  run: async (context) => await fetchedItems(context, "Scan"),
});

async function fetchedItems(context: TaskContext, name: "Query" | "Scan"): Promise<JsonObject> {
  return await fetchedRows(context, itemsOf(context, name), String(context.properties.fetchType));
}

async function* itemsOf(context: TaskContext, name: "Query" | "Scan"): AsyncGenerator<JsonObject> {
  const { properties } = context;
  const { expressionAttributeValues: values, limit } = properties;
  const optional: [string, JsonValue | undefined][] = [
    ["FilterExpression", properties.filterExpression],
    ["KeyConditionExpression", properties.keyConditionExpression],
    ["IndexName", properties.indexName],
    ["ExpressionAttributeNames", properties.expressionAttributeNames],
    ["ExpressionAttributeValues", values === undefined ? undefined : toAttributes(mapOf(values))],
  ];
  const given = Object.fromEntries(
    optional.flatMap(([key, value]) => value === undefined ? [] : [[key, value]]),
  );
  let left = limit === undefined ? Infinity : Number(limit);
  let start: JsonValue | undefined;
  do {
    const page = await call(context, name, {
      ...given,
      ...start === undefined ? {} : { ExclusiveStartKey: start },
      // With a filter the limit counts items before it.
      ...left === Infinity || properties.filterExpression !== undefined ? {} : { Limit: left },
      isRepeatable: true,
    });
    for (const item of objectsOf(page.Items)) {
      if (left-- <= 0) return;
      yield fromAttributes(item);
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined && left > 0);
}
