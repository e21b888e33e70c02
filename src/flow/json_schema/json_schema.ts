/**
 * JSON Schemas (draft-07) of flows and their parts, for editors and other clients, generated from the declarations that
 * validation uses.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Definitions } from "./definitions.ts";
import { DEFINITIONS, reference } from "./property_form.ts";

export {
  CONDITION_PROPERTIES,
  createDefinitions,
  type Definitions,
  inputDefinitionName,
  kindDefinition,
  PART_PROPERTIES,
  RUNNER_PROPERTIES,
  type SchemaSources,
  working,
} from "./definitions.ts";
export { listOf, reference } from "./property_form.ts";
export { exampleOf, outputsSchema, propertiesSchema } from "./documentation.ts";
export { withOwnForms } from "./shared_forms.ts";
export { allNames, canonicalNames, shownName } from "./type_names.ts";

/** The dialect of the schemas. */
export const DRAFT = "http://json-schema.org/draft-07/schema#";
const PREFIX = "#/definitions/";

/** Names of definitions by kind of schema. */
export const SCHEMA_KINDS: ReadonlyMap<string, string> = new Map([
  ["FLOW", DEFINITIONS.flow],
  ["TASK", DEFINITIONS.task],
  ["TRIGGER", DEFINITIONS.trigger],
  ["CONDITION", DEFINITIONS.condition],
  ["INPUT", DEFINITIONS.input],
  ["OUTPUT", DEFINITIONS.output],
  ["PLUGINDEFAULT", DEFINITIONS.pluginDefault],
]);

/** A schema document of one definition, or of lists of it, with all definitions that it refers to. */
export function schemaDocument(definitions: Definitions, name: string, { isList = false } = {}): JsonObject {
  const root = reference(name);
  return {
    $schema: DRAFT,
    ...(isList ? { type: "array", items: root } : root),
    definitions: referredBy(root, definitions),
  };
}

/** The definitions that a schema refers to, directly or through others, by name. */
export function referredBy(schema: JsonValue, definitions: Definitions): JsonObject {
  const found = new Map<string, JsonObject>();
  const open: JsonValue[] = [schema];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...value);
    if (!isJsonObject(value)) continue;
    open.push(...Object.values(value));
    const { $ref } = value;
    const name = typeof $ref === "string" ? $ref.slice(PREFIX.length) : "";
    const definition = found.has(name) ? undefined : definitions.get(name);
    if (!definition) continue;
    found.set(name, definition);
    open.push(definition);
  }
  const names = [...definitions.keys()].filter((name) => found.has(name));
  return Object.fromEntries(names.map((name) => [name, found.get(name) ?? {}]));
}
