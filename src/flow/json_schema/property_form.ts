/** JSON Schema of one property: it accepts what validation accepts. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import { VALUE_KINDS } from "../schema/value_kinds.ts";
import { objectForm } from "./object_form.ts";
import { withSingleTypes } from "./single_types.ts";

const EXPRESSION = "\\{\\{|\\{%";
/** Scalars written as texts. */
const INTEGER = "^[-+]?\\d{1,18}$";
const NUMBER = "^[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d{1,3})?$";
const BOOLEAN = "^([tT][rR][uU][eE]|[fF][aA][lL][sS][eE])$";
const DURATION =
  "^\\s*([-+]?\\d{1,15}(\\.\\d{1,15})?|[-+]?[pP](?=[\\dtT])(\\d+([.,]\\d+)?[wW])?(\\d+([.,]\\d+)?[dD])?([tT](?=[-+\\d])([-+]?\\d+([.,]\\d+)?[hH])?([-+]?\\d+([.,]\\d+)?[mM])?([-+]?\\d+([.,]\\d+)?[sS])?)?)\\s*$";
const DATE_TIME = "^\\d{4}-\\d{2}-\\d{2}";

/** Definitions that properties refer to. */
export const DEFINITIONS = Object.freeze({
  flow: "Flow",
  task: "Task",
  trigger: "Trigger",
  condition: "Condition",
  taskRunner: "TaskRunner",
  input: "Input",
  output: "Output",
  pluginDefault: "PluginDefault",
});

/** Name of the definition of a family of parts. */
export function partDefinition(family = ""): string {
  return `Part.${family}`;
}

/** A reference to a definition of the same document. */
export function reference(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

/** Schema of a list of a definition. */
export function listOf(name: string): JsonObject {
  return { type: "array", items: reference(name) };
}

/** The schema of a property with its description. Members of a dynamic property are dynamic too. */
export function propertyForm(schema: PropertySchema, isWithinDynamic = false): JsonObject {
  const isDynamic = isWithinDynamic || schema.dynamic === true;
  return { ...(schema.ignored ? {} : withSingleTypes(widen(schema, isDynamic))), ...annotations(schema) };
}

function annotations(schema: PropertySchema): JsonObject {
  const { description, deprecated, ignored, dynamic } = schema;
  const notes = [
    description,
    ...(dynamic ? ["Expressions are allowed."] : []),
    ...(schema.default === undefined ? [] : [`Default: \`${defaultText(schema.default)}\``]),
    ...(deprecated === undefined ? [] : [`**Deprecated**: ${deprecated}`]),
  ];
  const warning = deprecated === undefined
    ? ignored && "Has no effect and is ignored"
    : `Deprecated: ${deprecated}`;
  return {
    description,
    markdownDescription: notes.join("\n\n"),
    ...(dynamic && { $dynamic: true }),
    ...(schema.default !== undefined && { default: schema.default }),
    ...(warning && { deprecated: true, deprecationMessage: warning }),
  };
}

function defaultText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The schema extended by all alternatives that the property accepts. */
function widen(schema: PropertySchema, isDynamic: boolean): JsonObject {
  const one = schema.values ? valuesForm(schema.values) : FORMS[schema.type](schema, isDynamic);
  let form = schema.orJson && isDynamic ? orType(orType(one, "object"), "array") : one;
  if (schema.orText) form = orType(form, "string");
  else if (isDynamic) form = orExpression(form, schema);
  const item = form;
  if (schema.orMap) form = orType(form, "object");
  return schema.orList ? orList(form, item, schema) : form;
}

/** Accepts lists of `item` too. `anyOf` where texts are accepted, so that editors complete these. */
function orList(form: JsonObject, item: JsonObject, schema: PropertySchema): JsonObject {
  if (isAny(form)) return form;
  const list = required({ type: "array", items: item }, schema);
  const types = typesOf(form);
  if (types?.[0] !== "object") return { anyOf: [form, list] };
  return { ...form, ...list, type: [...types, "array"] };
}

function valuesForm(values: readonly string[]): JsonObject {
  return { enum: [...values] };
}

const FORMS: Readonly<
  Record<PropertySchema["type"], (schema: PropertySchema, isDynamic: boolean) => JsonObject>
> = Object.freeze({
  string: textForm,
  integer: (schema) => scalarForm(schema, ["integer", "string"], INTEGER),
  number: (schema) => scalarForm(schema, ["number", "string"], NUMBER),
  boolean: (schema) => scalarForm(schema, ["boolean", "string"], BOOLEAN),
  duration: (schema) => scalarForm(schema, ["string", "number"], DURATION),
  dateTime: (schema) => scalarForm(schema, ["string"], DATE_TIME),
  list: listForm,
  map: mapForm,
  object: (schema, isDynamic) => objectForm(schema, isDynamic, propertyForm),
  any: () => ({}),
  task: () => reference(DEFINITIONS.task),
  tasks: (schema) => required(listOf(DEFINITIONS.task), schema),
  dagTasks: (schema) => required({ type: "array", items: dagTask() }, schema),
  cases: () => ({ type: "object", additionalProperties: listOf(DEFINITIONS.task) }),
  inputs: (schema) => required(listOf(DEFINITIONS.input), schema),
  condition: () => reference(DEFINITIONS.condition),
  conditions: (schema) => required(listOf(DEFINITIONS.condition), schema),
  conditionMap: () => ({ type: "object", additionalProperties: reference(DEFINITIONS.condition) }),
  taskRunner: () => reference(DEFINITIONS.taskRunner),
  part: ({ family }) => reference(partDefinition(family)),
});

/** Texts, and numbers and booleans whose text matches the pattern. */
function textForm({ pattern, maxLength }: PropertySchema): JsonObject {
  const whole = `^(?:${pattern ?? ""})$`;
  const mayBe = (text: string) => pattern === undefined || new RegExp(whole, "u").test(text);
  return {
    type: ["string", ...(mayBe("10") ? ["number"] : []), ...(mayBe("true") ? ["boolean"] : [])],
    ...(pattern !== undefined && { pattern: whole, patternErrorMessage: `Must match "${pattern}"` }),
    ...(maxLength !== undefined && { maxLength }),
  };
}

function scalarForm(schema: PropertySchema, types: string[], pattern: string): JsonObject {
  const { minimum, maximum, type } = schema;
  return {
    type: types.length === 1 ? types[0] as string : types,
    pattern,
    errorMessage: `Must be ${VALUE_KINDS[type].text}`,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

function listForm(schema: PropertySchema, isDynamic: boolean): JsonObject {
  const { items } = schema;
  return required({ type: "array", ...(items && { items: propertyForm(items, isDynamic) }) }, schema);
}

function mapForm({ items }: PropertySchema, isDynamic: boolean): JsonObject {
  return { type: "object", additionalProperties: items ? propertyForm(items, isDynamic) : true };
}

/** A required list has at least one element, unless it may be empty. */
function required(form: JsonObject, schema: PropertySchema): JsonObject {
  return schema.required && !schema.mayBeEmpty ? { ...form, minItems: 1 } : form;
}

function dagTask(): JsonObject {
  return {
    type: "object",
    properties: {
      task: reference(DEFINITIONS.task),
      dependsOn: {
        type: "array",
        items: { type: "string" },
        description: "Ids of the tasks that come first.",
      },
    },
    required: ["task"],
    additionalProperties: false,
  };
}

function orExpression(form: JsonObject, schema: PropertySchema): JsonObject {
  const types = typesOf(form);
  if (types === undefined) {
    return isAny(form) ? form : { anyOf: [form, { type: "string", pattern: EXPRESSION }] };
  }
  if (!types.includes("string")) {
    const patternErrorMessage = `Must be ${VALUE_KINDS[schema.type].text}, or an expression`;
    return { ...form, type: [...types, "string"], pattern: EXPRESSION, patternErrorMessage };
  }
  if (typeof form.pattern !== "string") return form;
  const errorMessage = typeof form.errorMessage === "string"
    ? `${form.errorMessage}, or an expression`
    : undefined;
  return {
    ...form,
    pattern: `${form.pattern}|${EXPRESSION}`,
    ...(errorMessage !== undefined && { errorMessage }),
  };
}

function orType(form: JsonObject, type: string): JsonObject {
  const types = typesOf(form);
  if (types === undefined) return isAny(form) ? form : { anyOf: [form, { type }] };
  if (types.includes(type)) {
    if (type !== "string") return form;
    const { pattern: _pattern, ...open } = form;
    return open;
  }
  return { ...form, type: [...types, type] };
}

function typesOf({ type }: JsonObject): JsonValue[] | undefined {
  return Array.isArray(type) ? type : type === undefined ? undefined : [type];
}

function isAny(form: JsonObject): boolean {
  return Object.keys(form).length === 0;
}
