/** Checks values against the part of JSON Schema that the description of the API is written in. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";

/** What is right. */
const NONE: readonly string[] = [];
/** Schemas by their `$ref`, of each document. */
const resolved = new WeakMap<JsonObject, Map<string, JsonObject>>();

/** The problems of a value, one line each with its path; `$ref`s are resolved in `document`. */
export function schemaProblems(value: JsonValue, schema: JsonObject, document: JsonObject): string[] {
  return problemsOf(value, schema, document).map((problem) => `$${problem}`);
}

/** The problems with their paths from the value on: of most values there are none, and no path is written. */
function problemsOf(value: JsonValue, schema: JsonObject, document: JsonObject): readonly string[] {
  if (typeof schema.$ref === "string") return problemsOf(value, resolve(schema.$ref, document), document);
  if (Array.isArray(schema.anyOf)) return alternativeProblems(value, schema.anyOf, document);
  const type = typeof schema.type === "string" ? schema.type : undefined;
  if (type !== undefined && !isOfType(value, type)) return [`: ${JSON.stringify(value)} is no ${type}`];
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return [`: ${value} is not known`];
  if (schema.format === "date-time" && !isUtcInstant(value)) return [`: ${value} is no date-time`];
  const { items } = schema;
  if (Array.isArray(value) && isJsonObject(items)) {
    return joined(value, (item, index) => below(`[${index}]`, problemsOf(item, items, document)));
  }
  return isJsonObject(value) ? memberProblems(value, schema, document) : NONE;
}

/** The problems of the alternative that has the fewest. */
function alternativeProblems(
  value: JsonValue,
  schemas: readonly JsonValue[],
  document: JsonObject,
): readonly string[] {
  const found = schemas.filter(isJsonObject).map((schema) => problemsOf(value, schema, document));
  return found.reduce((best, each) => each.length < best.length ? each : best);
}

/** As RFC 3339 has it, in UTC. */
function isUtcInstant(value: JsonValue): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value));
}

function memberProblems(value: JsonObject, schema: JsonObject, document: JsonObject): readonly string[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const { additionalProperties: others } = schema;
  const missing = joined(
    required,
    (name) => Object.hasOwn(value, String(name)) ? NONE : [`.${name} is missing`],
  );
  const wrong = joined(Object.keys(properties), (name) => {
    const found = value[name];
    const member = properties[name];
    const isThere = found !== undefined && isJsonObject(member);
    return isThere ? below(`.${name}`, problemsOf(found, member, document)) : NONE;
  });
  if (!isJsonObject(others)) return [...missing, ...wrong];
  const unnamed = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  const wrongOthers = joined(
    unnamed,
    (name) => below(`.${name}`, problemsOf(value[name] as JsonValue, others, document)),
  );
  return [...missing, ...wrong, ...wrongOthers];
}

/** The problems of all items. */
function joined<Item>(
  items: readonly Item[],
  problems: (item: Item, index: number) => readonly string[],
): readonly string[] {
  let all = NONE;
  for (const [index, item] of items.entries()) {
    const found = problems(item, index);
    if (found.length > 0) all = [...all, ...found];
  }
  return all;
}

function below(place: string, problems: readonly string[]): readonly string[] {
  return problems.length === 0 ? problems : problems.map((problem) => place + problem);
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  const found: string = typeof value;
  return type === "integer" ? Number.isInteger(value) : found === type;
}

function resolve(ref: string, document: JsonObject): JsonObject {
  const known = resolved.getOrInsertComputed(document, () => new Map());
  return known.getOrInsertComputed(ref, () => find(ref, document));
}

function find(ref: string, document: JsonObject): JsonObject {
  let found: JsonValue | undefined = document;
  for (const name of ref.replace("#/", "").split("/")) found = isJsonObject(found) ? found[name] : undefined;
  if (isJsonObject(found)) return found;
  throw new Error(`There is no ${ref}`);
}
