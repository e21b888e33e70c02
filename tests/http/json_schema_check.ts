/** Checks values against the part of JSON Schema that the description of the API is written in. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";

/** The problems of a value, one line each with its path; `$ref`s are resolved in `document`. */
export function schemaProblems(
  value: JsonValue,
  schema: JsonObject,
  document: JsonObject,
  place = "$",
): string[] {
  if (typeof schema.$ref === "string") {
    return schemaProblems(value, resolve(schema.$ref, document), document, place);
  }
  if (Array.isArray(schema.anyOf)) return alternativeProblems(value, schema.anyOf, document, place);
  const type = typeof schema.type === "string" ? schema.type : undefined;
  if (type !== undefined && !isOfType(value, type)) {
    return [`${place}: ${JSON.stringify(value)} is no ${type}`];
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return [`${place}: ${value} is not known`];
  if (schema.format === "date-time" && !isUtcInstant(value)) return [`${place}: ${value} is no date-time`];
  const { items } = schema;
  if (Array.isArray(value) && isJsonObject(items)) {
    return value.flatMap((item, index) => schemaProblems(item, items, document, `${place}[${index}]`));
  }
  return isJsonObject(value) ? memberProblems(value, schema, document, place) : [];
}

/** The problems of the alternative that has the fewest. */
function alternativeProblems(
  value: JsonValue,
  schemas: readonly JsonValue[],
  document: JsonObject,
  place: string,
): string[] {
  const found = schemas.filter(isJsonObject).map((schema) => schemaProblems(value, schema, document, place));
  return found.reduce((best, each) => each.length < best.length ? each : best);
}

/** As RFC 3339 has it, in UTC. */
function isUtcInstant(value: JsonValue): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value));
}

function memberProblems(
  value: JsonObject,
  schema: JsonObject,
  document: JsonObject,
  place: string,
): string[] {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) =>
    `${place}.${name} is missing`
  );
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const wrong = Object.entries(properties).flatMap(([name, member]) => {
    const found = value[name];
    const isThere = found !== undefined && isJsonObject(member);
    return isThere ? schemaProblems(found, member, document, `${place}.${name}`) : [];
  });
  const { additionalProperties: others } = schema;
  const wrongOthers = isJsonObject(others)
    ? Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name)).flatMap(([name, member]) =>
      schemaProblems(member, others, document, `${place}.${name}`)
    )
    : [];
  return [...missing, ...wrong, ...wrongOthers];
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  const found: string = typeof value;
  return type === "integer" ? Number.isInteger(value) : found === type;
}

function resolve(ref: string, document: JsonObject): JsonObject {
  let found: JsonValue | undefined = document;
  for (const name of ref.replace("#/", "").split("/")) found = isJsonObject(found) ? found[name] : undefined;
  if (isJsonObject(found)) return found;
  throw new Error(`There is no ${ref}`);
}
