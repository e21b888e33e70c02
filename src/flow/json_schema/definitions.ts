/** Definitions of the JSON Schema of flows: of the document, its parts, and each type. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";
import type { TaskCatalog } from "../../model/tasks/task_catalog.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import {
  FLOW_PROPERTIES,
  INPUT_PROPERTIES,
  OUTPUT_PROPERTIES,
  TASK_PROPERTIES,
  TRIGGER_PROPERTIES,
} from "../schema/flow_schema.ts";
import { MANAGED_PROPERTIES } from "../source/source_edit.ts";
import type { InputDeclaration } from "../inputs/input_type.ts";
import { listInputTypes, listValueTypes } from "../inputs/registry.ts";
import { PLUGIN_DEFAULT } from "../schema/schema_parts.ts";
import { closedForm, exactly, requiredUnless, whenType } from "./object_form.ts";
import { DEFINITIONS, listOf, partDefinition, propertyForm, reference } from "./property_form.ts";
import { withSharedForms } from "./shared_forms.ts";
import { withSingleTypes } from "./single_types.ts";
import { allNames, canonicalNames, shownName } from "./type_names.ts";

/** Catalogs of the types. */
export interface SchemaSources {
  readonly tasks: TaskCatalog;
  readonly triggers: TriggerCatalog;
  /** Prefixes of the names that editors offer; by default all. Names with the others are accepted too. */
  readonly prefixes?: readonly string[];
}

/** Definitions by name. */
export type Definitions = ReadonlyMap<string, JsonObject>;

/** Properties of every condition. */
export const CONDITION_PROPERTIES: PropertySchemas = Object.freeze({
  type: { type: "string", required: true, description: "Type of the condition." },
});

/** Properties of every task runner. */
export const RUNNER_PROPERTIES: PropertySchemas = Object.freeze({
  type: { type: "string", required: true, description: "Type of the task runner." },
});

/** Properties of every part. */
export const PART_PROPERTIES: PropertySchemas = Object.freeze({
  type: { type: "string", required: true, description: "Type of the part." },
});

/** A kind of types. */
interface TypeKind {
  readonly noun: string;
  readonly common: PropertySchemas;
  readonly types: readonly TypeDeclaration[];
}

/** A kind with the name of its definition. */
interface NamedKind extends TypeKind {
  readonly name: string;
}

/** What {@link kindDefinition} needs of the sources. */
type Offered = Pick<SchemaSources, "prefixes">;

/** All definitions but those of planned types. */
export function createDefinitions({ tasks, triggers, prefixes }: SchemaSources): Definitions {
  const kinds: NamedKind[] = [
    { name: DEFINITIONS.task, noun: "task", common: TASK_PROPERTIES, types: working(tasks.list()) },
    {
      name: DEFINITIONS.trigger,
      noun: "trigger",
      common: TRIGGER_PROPERTIES,
      types: working(triggers.list()),
    },
    {
      name: DEFINITIONS.condition,
      noun: "condition",
      common: CONDITION_PROPERTIES,
      types: working(triggers.listConditions()),
    },
    {
      name: DEFINITIONS.taskRunner,
      noun: "task runner",
      common: RUNNER_PROPERTIES,
      types: tasks.runners.list(),
    },
    ...[...Map.groupBy(working(tasks.parts.list()), ({ family }) => family)].map(([family, types]) => ({
      name: partDefinition(family),
      noun: family,
      common: PART_PROPERTIES,
      types,
    })),
  ];
  return new Map<string, JsonObject>([
    [DEFINITIONS.flow, flowDefinition()],
    ...kinds.map((kind) => [kind.name, kindDefinition(kind, { prefixes })] as const),
    [DEFINITIONS.input, inputDefinition()],
    [DEFINITIONS.output, outputDefinition()],
    [DEFINITIONS.pluginDefault, propertyForm(PLUGIN_DEFAULT)],
    ...withSharedForms([
      ...typeDefinitions(kinds),
      ...listInputTypes().map((type) => [inputDefinitionName(type), inputTypeDefinition(type)] as const),
    ]),
  ]);
}

/** The types that are not planned. */
export function working<T extends TypeDeclaration & { readonly form: string }>(types: readonly T[]): T[] {
  return types.filter((type) => type.form !== "planned");
}

/** The definitions of all types. The form of a schema that several of them have is computed once. */
function typeDefinitions(kinds: readonly TypeKind[]): (readonly [name: string, definition: JsonObject])[] {
  const known = new Map<PropertySchema, JsonObject>();
  const formOf = (schema: PropertySchema) => {
    const form = known.get(schema) ?? propertyForm(schema);
    known.set(schema, form);
    return form;
  };
  return kinds.flatMap(({ common, types }) =>
    types.map((type) => [shownName(type), typeDefinition(type, common, formOf)] as const)
  );
}

function typeDefinition(
  declaration: TypeDeclaration,
  common: PropertySchemas,
  formOf: (schema: PropertySchema) => JsonObject,
): JsonObject {
  const { type, description, deprecated, properties } = declaration;
  const form = closedForm({ ...common, ...properties }, formOf);
  const notes = deprecated === undefined ? description : `${description}\n\n**Deprecated**: ${deprecated}`;
  return {
    ...form,
    title: type.slice(type.lastIndexOf(".") + 1),
    description,
    markdownDescription: notes,
    ...(deprecated !== undefined && { deprecated: true }),
    properties: { ...form.properties as JsonObject, type: typeNameForm(declaration) },
  };
}

function typeNameForm(declaration: TypeDeclaration): JsonObject {
  const { description, deprecated } = declaration;
  return {
    enum: allNames(declaration),
    description,
    ...(deprecated !== undefined && { deprecated: true, deprecationMessage: `Deprecated: ${deprecated}` }),
  };
}

/**
 * Schema of objects of any type of the kind. `if` and `then` rather than `anyOf`: an editor then reports problems of the
 * named type only.
 */
export function kindDefinition({ noun, common, types }: TypeKind, offered: Offered): JsonObject {
  const { type: _type, ...rest } = common;
  const form = closedForm(rest, propertyForm);
  const properties = form.properties as JsonObject;
  const required = Array.isArray(form.required) ? form.required : [];
  return {
    type: "object",
    properties: { ...(properties.id && { id: properties.id }), type: kindNameForm(noun, types, offered) },
    required: [...required, "type"],
    if: { type: "object", required: ["type"] },
    else: { properties },
    allOf: types.map((type) => whenType(allNames(type), reference(shownName(type)))),
  };
}

/** Editors offer canonical names of types that are not deprecated; all names are accepted. */
function kindNameForm(noun: string, types: readonly TypeDeclaration[], { prefixes }: Offered): JsonObject {
  const offered = types.filter((type) => type.deprecated === undefined);
  const namesOf = (type: TypeDeclaration) => canonicalNames(type, prefixes);
  const names = offered.flatMap(namesOf);
  const others = types.flatMap(allNames).filter((name) => !names.includes(name));
  const errorMessage = `Unknown type of ${noun}`;
  const named: JsonObject = {
    enum: names,
    markdownEnumDescriptions: offered.flatMap((type) => namesOf(type).map(() => type.description)),
    errorMessage,
  };
  return {
    type: "string",
    description: `Type of the ${noun}.`,
    anyOf: [named, { pattern: exactly(others), errorMessage }],
  };
}

function flowDefinition(): JsonObject {
  const form = closedForm(FLOW_PROPERTIES, propertyForm);
  const properties = form.properties as Record<string, JsonObject>;
  for (const name of MANAGED_PROPERTIES) properties[name] = { ...properties[name], doNotSuggest: true };
  return {
    ...form,
    title: "Flow",
    properties: {
      ...properties,
      labels: { ...properties.labels, ...LABELS },
      outputs: { ...properties.outputs, ...listOf(DEFINITIONS.output) },
      triggers: { ...properties.triggers, ...listOf(DEFINITIONS.trigger) },
    },
  };
}

const LABEL_TEXT: JsonObject = withSingleTypes({ type: ["string", "number", "boolean"] });
const LABELS: JsonObject = withSingleTypes({
  type: ["object", "array"],
  additionalProperties: LABEL_TEXT,
  items: {
    type: "object",
    properties: { key: LABEL_TEXT, value: LABEL_TEXT },
    required: ["key", "value"],
    additionalProperties: false,
  },
});

/** Name of the definition of an input type. */
export function inputDefinitionName({ names }: InputDeclaration): string {
  return `${DEFINITIONS.input}.${names[0]}`;
}

function inputTypeDefinition(type: InputDeclaration): JsonObject {
  const common = Object.entries(INPUT_PROPERTIES).filter(([name]) => !type.refused?.has(name));
  const form = closedForm({ ...Object.fromEntries(common), ...type.properties }, propertyForm);
  return {
    ...form,
    title: type.names[0] ?? "",
    properties: { ...form.properties as JsonObject, type: { enum: [...type.names] } },
  };
}

function inputDefinition(): JsonObject {
  const types = listInputTypes();
  const { id, type: _type, ...rest } = INPUT_PROPERTIES;
  return {
    type: "object",
    properties: { type: inputTypeNameForm(types, "Type of the input.") },
    required: ["type"],
    if: { type: "object", required: ["type"] },
    else: {
      properties: closedForm({ ...(id && { id }), ...rest }, propertyForm).properties ?? {},
      allOf: [requiredUnless("id", id?.aliases ?? [])],
    },
    allOf: types.map((type) => whenType(type.names, reference(inputDefinitionName(type)))),
  };
}

function inputTypeNameForm(types: readonly InputDeclaration[], description: string): JsonObject {
  const names: JsonValue[] = types.flatMap((type) => type.names);
  return { enum: names, description, errorMessage: `Must be one of ${names.join(", ")}` };
}

function outputDefinition(): JsonObject {
  const form = closedForm(OUTPUT_PROPERTIES, propertyForm);
  const type = inputTypeNameForm(
    listValueTypes(),
    "Type to which the value is converted; without it the value is kept as it is.",
  );
  return { ...form, properties: { ...form.properties as JsonObject, type } };
}
