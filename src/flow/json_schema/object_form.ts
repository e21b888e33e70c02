/** JSON Schema of objects with known members. */
import type { JsonObject } from "../../base/json.ts";
import type { PropertySchema, PropertySchemas } from "../../model/flows/schema.ts";

type MemberForm = (schema: PropertySchema, isWithinDynamic?: boolean) => JsonObject;

/** Objects with the members of a property schema; without any, with any members. */
export function objectForm(
  { properties, variants }: PropertySchema,
  isDynamic: boolean,
  form: MemberForm,
): JsonObject {
  const memberForm: MemberForm = (schema) => form(schema, isDynamic);
  if (variants) return variantForm(properties ?? {}, variants, memberForm);
  if (!properties) return { type: "object" };
  return closedForm(properties, memberForm);
}

/** Objects with these members and no others. What is planned is left out. */
export function closedForm(schemas: PropertySchemas, form: MemberForm): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  const rules: JsonObject[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.planned) continue;
    properties[name] = form(schema);
    for (const alias of schema.aliases ?? []) properties[alias] = aliasForm(form(schema), name);
    if (!schema.required) continue;
    if (schema.aliases?.length) rules.push(requiredUnless(name, schema.aliases));
    else required.push(name);
  }
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    ...(rules.length > 0 && { allOf: rules }),
    additionalProperties: false,
  };
}

/** The schema of an alias, which editors do not offer. */
function aliasForm(form: JsonObject, name: string): JsonObject {
  return { ...form, deprecated: true, deprecationMessage: `Is replaced by "${name}", use that name` };
}

/** Requires `name` unless an alias is present. `if` rather than `anyOf` gives a better message. */
export function requiredUnless(name: string, aliases: readonly string[]): JsonObject {
  return { if: { anyOf: aliases.map((alias) => ({ required: [alias] })) }, else: { required: [name] } };
}

/**
 * Applies `then` to objects whose `type` is one of `names`. A pattern, not an `enum`: while a name is being typed, editors
 * match prefixes of `enum` values and would offer the members of every type.
 */
export function whenType(names: readonly string[], then: JsonObject): JsonObject {
  const type: JsonObject = { type: "string", pattern: exactly(names) };
  return { if: { type: "object", required: ["type"], properties: { type } }, then };
}

/** A pattern that matches exactly these texts. */
export function exactly(names: readonly string[]): string {
  return `^(?:${names.map((name) => name.replaceAll(".", "\\.")).join("|")})$`;
}

function variantForm(
  common: PropertySchemas,
  variants: Readonly<Record<string, PropertySchemas>>,
  form: MemberForm,
): JsonObject {
  const names = Object.keys(variants);
  const given: PropertySchema = common.type ??
    { type: "string", required: true, description: "Which of the variants it is." };
  const type: PropertySchema = { ...given, values: given.values ?? names };
  const fallback = typeof type.default === "string" ? type.default : undefined;
  const rules = names.map((name) => {
    const members = closedForm({ ...common, type, ...variants[name] }, form);
    return whenType([name], members);
  });
  const absent = fallback === undefined ? undefined : variants[fallback];
  const absentRule = absent && { else: closedForm({ ...common, type, ...absent }, form) };
  return {
    type: "object",
    properties: { type: form(type) },
    ...(type.required && fallback === undefined && { required: ["type"] }),
    ...(absentRule && { if: { type: "object", required: ["type"] }, ...absentRule }),
    allOf: rules,
  };
}
