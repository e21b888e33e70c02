/** Schemas of single types, as documentation shows them. */
import type { JsonObject } from "../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import { closedForm } from "./object_form.ts";
import { propertyForm } from "./property_form.ts";

const OUTPUT_TYPES: Readonly<Partial<Record<PropertySchema["type"], string>>> = Object.freeze({
  string: "string",
  duration: "string",
  dateTime: "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  list: "array",
  map: "object",
  object: "object",
});

/** Objects with these properties; planned ones are left out. */
export function propertiesSchema(schemas: PropertySchemas): JsonObject {
  return closedForm(schemas, propertyForm);
}

/** What a type gives: values are of exactly one type, and always there or not. */
export function outputsSchema(schemas: PropertySchemas): JsonObject {
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, outputForm(schema)]),
    ),
  };
}

function outputForm({ type, description, items }: PropertySchema): JsonObject {
  const name = OUTPUT_TYPES[type];
  return {
    ...(name !== undefined && { type: name }),
    ...(items && type === "list" && { items: outputForm(items) }),
    ...(items && type === "map" && { additionalProperties: outputForm(items) }),
    description,
  };
}
