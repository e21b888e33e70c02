/**
 * Entities of Azure Table Storage.
 * https://learn.microsoft.com/en-us/rest/api/storageservices/payload-format-for-table-service-operations
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberOrText,
  setOwnProperty,
} from "../../../base/json.ts";
import { dynamicText, type PropertySchema, type PropertySchemas } from "../../../model/flows/schema.ts";
import { optionalText } from "../../../model/tasks/task_definition.ts";
import { memberOf } from "../../given_maps.ts";
import { CONNECTION } from "../storage_client.ts";

/** Properties of all types of tables. */
export const TABLE: PropertySchemas = Object.freeze({
  ...CONNECTION,
  table: dynamicText("Name of the table.", { required: true }),
});

/** Properties that name an entity. */
export const KEYS: PropertySchemas = Object.freeze({
  partitionKey: dynamicText("Key of the partition.", { required: true }),
  rowKey: dynamicText("Key of the entity within the partition.", { required: true }),
});

/** Output: an entity. */
export const ENTITY: PropertySchema = {
  type: "map",
  description: "The entity, with `partitionKey`, `rowKey`, `timestamp`, `etag` and `properties`.",
};

/** Headers of requests that read: the kinds of values come with the response. */
export const READ_HEADERS = { Accept: "application/json;odata=minimalmetadata" };

const OWN_NAMES: ReadonlySet<string> = new Set(["PartitionKey", "RowKey", "Timestamp"]);
const TYPE_SUFFIX = "@odata.type";
const MAX_INT32 = 2 ** 31 - 1;

/** The path of an entity, below the endpoint. */
export function entityPath(table: string, { partitionKey, rowKey }: EntityKeys): string {
  const [partition, row] = [partitionKey, rowKey].map((key) =>
    encodeURIComponent(key.replaceAll("'", "''")).replaceAll("'", "%27")
  );
  return `/${encodeURIComponent(table)}(PartitionKey='${partition}',RowKey='${row}')`;
}

/** What names an entity. */
export interface EntityKeys {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** The keys that properties or a row give. @throws Error one is missing */
export function keysOf(map: JsonObject): EntityKeys {
  const [partitionKey, rowKey] = ["partitionKey", "rowKey"].map((name) => {
    const key = memberOf(map, name);
    if (key === undefined || key === null) throw new Error(`Missing ${name}: each entity needs it`);
    return String(key);
  });
  return { partitionKey: partitionKey ?? "", rowKey: rowKey ?? "" };
}

/** An entity of a response, as outputs have it. */
export function readEntity(entity: JsonObject): JsonObject {
  const properties: JsonObject = {};
  for (const [name, value] of Object.entries(entity)) {
    if (OWN_NAMES.has(name) || name.startsWith("odata.") || name.includes("@odata.")) continue;
    const isInteger = entity[`${name}${TYPE_SUFFIX}`] === "Edm.Int64";
    setOwnProperty(properties, name, isInteger ? numberOrText(String(value)) : value);
  }
  return {
    partitionKey: entity.PartitionKey ?? null,
    rowKey: entity.RowKey ?? null,
    timestamp: entity.Timestamp ?? null,
    etag: entity["odata.etag"] ?? null,
    properties,
  };
}

/** An entity as a request has it. @throws Error a property is a list or a map */
export function writtenEntity(
  { partitionKey, rowKey }: EntityKeys,
  properties: JsonValue | undefined,
): JsonObject {
  const entity: JsonObject = { PartitionKey: partitionKey, RowKey: rowKey };
  for (const [name, value] of Object.entries(isJsonObject(properties) ? properties : {})) {
    // An entity does not have a property without a value.
    if (value === null) continue;
    if (Array.isArray(value) || isJsonObject(value)) {
      throw new Error(`Invalid property "${name}": it must be a text, a number or a boolean`);
    }
    const isLong = typeof value === "bigint" || typeof value === "number" && Math.abs(value) > MAX_INT32;
    setOwnProperty(entity, name, isLong ? String(value) : value);
    if (isLong) entity[`${name}${TYPE_SUFFIX}`] = "Edm.Int64";
  }
  return entity;
}

/** What a property gives as a list of texts, joined by commas; `undefined` without any. */
export function joined(value: JsonValue | undefined): string | undefined {
  return optionalText(Array.isArray(value) ? value.join(",") : value);
}
