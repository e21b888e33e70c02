/** Maps and lists of HTTP tasks that are given as one expression and therefore rendered to JSON text. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import { structureOf } from "../property_values.ts";

/**
 * The properties with texts parsed where `schemas` declare a map, an object or a list; empty texts are omitted.
 * @throws Error no map; the message does not contain the text, since it may be a secret
 */
export function structuredProperties(properties: JsonObject, schemas: PropertySchemas): JsonObject {
  const read: JsonObject = {};
  for (const name of Object.keys(properties)) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    const value = propertyOf(properties, name, schema);
    if (value !== undefined) setOwnProperty(read, name, value);
  }
  return read;
}

function propertyOf(
  properties: JsonObject,
  name: string,
  schema: PropertySchema | undefined,
): JsonValue | undefined {
  switch (schema?.type) {
    case "map":
    case "object":
      return readMap(properties, name, schema);
    case "list":
      return readList(properties, name);
    default:
      return ownProperty(properties, name);
  }
}

function readMap(properties: JsonObject, name: string, schema: PropertySchema): JsonValue | undefined {
  const value = structureOf(properties, name);
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw new Error(`Invalid ${name}: it must be a map`);
  return schema.properties ? structuredProperties(value, schema.properties) : value;
}

/** A single element is accepted instead of a list. */
function readList(properties: JsonObject, name: string): JsonValue | undefined {
  const value = structureOf(properties, name);
  return Array.isArray(value) ? value : ownProperty(properties, name);
}
