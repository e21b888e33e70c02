/** Schemas and examples of single types, for their documentation. */
import { stringify } from "@std/yaml";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import { closedForm } from "./object_form.ts";
import { propertyForm } from "./property_form.ts";
import { fullName, shownName } from "./type_names.ts";

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

/** Schema of objects with these properties; planned ones are left out. */
export function propertiesSchema(schemas: PropertySchemas): JsonObject {
  return closedForm(schemas, propertyForm);
}

/** Schema of the outputs of a type. */
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

/** YAML of a small entry of `tasks`, `triggers` or, without an id, of a condition or task runner: its required members with sample values. */
export function exampleOf(declaration: TypeDeclaration, { hasId = true } = {}): string {
  const { type, properties } = declaration;
  const name = type.slice(type.lastIndexOf(".") + 1);
  const id = name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
  return stringify([{
    ...(hasId && { id }),
    type: shownName(declaration),
    ...membersOf(properties, id) ?? firstOf(properties, id),
  }]);
}

/** The required members; `undefined` when there are none. */
function membersOf(schemas: PropertySchemas, id: string): JsonObject | undefined {
  const names = Object.keys(schemas).filter((name) => schemas[name]?.required && !schemas[name]?.planned);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, valueOf(schemas[name], `${id}_${name}`)]));
}

/** Without required members: the first that is neither planned nor ignored nor deprecated. */
function firstOf(schemas: PropertySchemas, id: string): JsonObject {
  const found = Object.entries(schemas).find(([, schema]) =>
    !schema.planned && !schema.ignored && schema.deprecated === undefined
  );
  return found ? { [found[0]]: valueOf(found[1], `${id}_${found[0]}`) } : {};
}

/** `id` is the prefix of the ids of nested tasks, which must be unique within a flow. */
function valueOf(schema: PropertySchema | undefined, id: string): JsonValue {
  if (!schema) return null;
  const { values, type } = schema;
  if (values?.[0] !== undefined) return values[0];
  if (schema.default !== undefined) return schema.default;
  return SAMPLES[type](schema, id);
}

const SAMPLES: Readonly<Record<PropertySchema["type"], (schema: PropertySchema, id: string) => JsonValue>> =
  Object.freeze({
    string: () => "text",
    integer: ({ minimum }) => Math.max(minimum ?? 1, 1),
    number: ({ minimum }) => Math.max(minimum ?? 1, 1),
    boolean: () => true,
    duration: () => "PT10S",
    dateTime: () => "2026-01-31T12:00:00Z",
    list: ({ items }, id) => [items ? valueOf(items, id) : "text"],
    map: ({ items }, id) => ({ name: items ? valueOf(items, id) : "text" }),
    object: objectSample,
    any: () => "text",
    task: (_schema, id) => taskSample(id),
    tasks: (_schema, id) => [taskSample(id)],
    dagTasks: (
      _schema,
      id,
    ) => [dagTaskSample(`${id}_first`, []), dagTaskSample(`${id}_second`, [`${id}_first`])],
    cases: (_schema, id) => ({ text: [taskSample(id)] }),
    inputs: () => [{ id: "name", type: "STRING" }],
    condition: () => conditionSample(),
    conditions: () => [conditionSample()],
    conditionMap: () => ({ first: conditionSample() }),
    taskRunner: () => ({ type: fullName("core.runner.Process") }),
    part: ({ sample = {} }) => sample,
  });

function objectSample({ properties = {}, variants = {} }: PropertySchema, id: string): JsonValue {
  const [variant] = Object.keys(variants);
  return {
    ...membersOf(properties, id),
    ...(variant !== undefined && { type: variant, ...membersOf(variants[variant] ?? {}, id) }),
  };
}

function taskSample(id: string): JsonObject {
  return { id, type: fullName("core.log.Log"), message: "text" };
}

function dagTaskSample(id: string, dependsOn: string[]): JsonObject {
  return { task: taskSample(id), ...(dependsOn.length > 0 && { dependsOn }) };
}

function conditionSample(): JsonObject {
  return { type: fullName("core.condition.Weekend") };
}
