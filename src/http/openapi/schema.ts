/** A short notation for JSON Schema (draft 2020-12, as OpenAPI 3.1 uses it). */
import type { JsonObject } from "../../base/json.ts";

/** A JSON Schema. */
export type Schema = JsonObject;

/** Any JSON. */
export const ANYTHING: Schema = {};
/** A text. */
export const TEXT: Schema = { type: "string" };
/** A whole number. */
export const INTEGER: Schema = { type: "integer" };
/** A number. */
export const NUMBER: Schema = { type: "number" };
/** `true` or `false`. */
export const FLAG: Schema = { type: "boolean" };
/** A moment, as ISO 8601 text in UTC. */
export const INSTANT: Schema = { type: "string", format: "date-time" };
/** An object with any members. */
export const MAP: Schema = { type: "object", additionalProperties: true };
/** Bytes of any kind. */
export const BYTES: Schema = { type: "string", format: "binary" };

/** A list. */
export function listOf(items: Schema): Schema {
  return { type: "array", items };
}

/** One of these texts. */
export function oneOf(values: readonly string[]): Schema {
  return { type: "string", enum: [...values] };
}

/** One of these schemas. */
export function anyOf(...schemas: readonly Schema[]): Schema {
  return { anyOf: [...schemas] };
}

/** An object whose members all have this schema, under names that are data. */
export function mapOf(values: Schema): Schema {
  return { type: "object", additionalProperties: values };
}

/** An object. A name that ends in `?` is optional; further members are allowed. */
export function objectOf(members: Readonly<Record<string, Schema>>): Schema {
  const entries = Object.entries(members);
  const required = entries.filter(([name]) => !name.endsWith("?")).map(([name]) => name);
  const properties = Object.fromEntries(entries.map(([name, schema]) => [name.replace(/\?$/, ""), schema]));
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

/** A component by name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A page of a list. */
export function pageOf(item: Schema): Schema {
  return objectOf({ results: listOf(item), total: INTEGER });
}
