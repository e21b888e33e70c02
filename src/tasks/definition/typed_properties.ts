/** Rendered properties with the types that their schemas declare: an expression gives texts. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import { flagOf, structureOf, textOf } from "../property_values.ts";
import { LOADED_PARTS } from "./loaded_types.ts";

/** The declared properties; absent and empty ones have their default, or are left out. @throws Error a value of another type, or a required one is missing */
export function typedProperties(given: JsonObject, schemas: PropertySchemas): JsonObject {
  const typed: JsonObject = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const value = typedValue(given, name, schema);
    if (value !== undefined) setOwnProperty(typed, name, value);
    else if (schema.default !== undefined) setOwnProperty(typed, name, schema.default);
    else if (schema.required) throw new Error(`Missing ${name}: it is empty`);
  }
  return typed;
}

function typedValue(given: JsonObject, name: string, schema: PropertySchema): JsonValue | undefined {
  const value = ownProperty(given, name);
  if (value === undefined || value === null || value === "") return undefined;
  switch (schema.type) {
    case "boolean":
      return flagOf(given, name, false);
    case "integer":
    case "number":
      return numberOf(given, name, schema);
    case "list":
    case "map":
    case "object":
    case "part":
      return structured(given, name, schema);
    case "string":
      return textChecked(given, name, schema);
    default:
      return value;
  }
}

function numberOf(given: JsonObject, name: string, { type, minimum, maximum }: PropertySchema): number {
  const text = textOf(given, name) ?? "";
  const value = Number(text);
  const isKind = type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
  const isWithin = value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
  if (text.trim() !== "" && isKind && isWithin) return value;
  const from = minimum === undefined ? "" : ` from ${minimum}`;
  const to = maximum === undefined ? "" : ` to ${maximum}`;
  throw new Error(`Invalid ${name}: it must be a ${type === "integer" ? "whole " : ""}number${from}${to}`);
}

function textChecked(given: JsonObject, name: string, { values }: PropertySchema): string {
  const text = textOf(given, name) ?? "";
  if (!values || values.includes(text)) return text;
  throw new Error(`Invalid ${name}: it must be one of ${values.join(", ")}`);
}

/** The value of an expression for a list or a map is JSON text. The message has no value, since it may be secret. */
function structured(
  given: JsonObject,
  name: string,
  { type, properties, items, family }: PropertySchema,
): JsonValue | undefined {
  const value = structureOf(given, name);
  if (value === undefined) return undefined;
  const isKind = type === "list" ? Array.isArray(value) : isJsonObject(value);
  if (!isKind) throw new Error(`Invalid ${name}: it must be a ${type === "list" ? "list" : "map"}`);
  if (Array.isArray(value) && items?.type === "part") {
    return value.map((item) => typedPart(item, name, items));
  }
  if (type === "part") return typedPart(value, name, { family });
  return properties && isJsonObject(value) ? typedProperties(value, properties) : value;
}

/** A part with its canonical type and its typed properties. The value of an expression was not validated before. */
function typedPart(value: JsonValue, name: string, { family }: Pick<PropertySchema, "family">): JsonObject {
  const written = isJsonObject(value) ? textOf(value, "type") ?? "" : "";
  const kind = canonicalType(written);
  const part = LOADED_PARTS.find(kind);
  if (!isJsonObject(value) || part?.form !== "part" || part.family !== family) {
    throw new Error(`Invalid ${name}: it must have a type of ${family}, but its type is "${written}"`);
  }
  return { ...typedProperties(value, part.properties), type: part.type };
}
