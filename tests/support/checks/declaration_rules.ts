/** What every declaration of a task, trigger or condition type keeps to. */
import { parseDuration } from "../../../src/base/time/duration.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { PropertySchema, PropertySchemas, PropertyType } from "../../../src/model/flows/schema.ts";
import type { TypeDeclaration } from "../../../src/model/flows/type_declaration.ts";

/** Every breach of the rules by these types, one line each. */
export function declarationProblems(types: readonly TypeDeclaration[]): string[] {
  return [
    ...duplicates(types.flatMap((type) => [type.type, ...type.aliases])),
    ...types.flatMap((type) => [
      ...textProblems(type, type.type),
      ...schemasProblems(type.properties, type.type),
      ...schemasProblems(type.outputs ?? {}, `${type.type} outputs`),
    ]),
  ];
}

function duplicates(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) =>
    `${name}: the name is taken`
  );
}

function schemasProblems(schemas: PropertySchemas, at: string): string[] {
  const names = Object.entries(schemas).flatMap(([name, schema]) => [name, ...schema.aliases ?? []]);
  return [
    ...duplicates(names).map((text) => `${at}.${text}`),
    ...Object.entries(schemas).flatMap(([name, schema]) => schemaProblems(schema, `${at}.${name}`)),
  ];
}

function schemaProblems(schema: PropertySchema, at: string): string[] {
  const { items, properties, variants, dynamic, type } = schema;
  const problems = textProblems(schema, at);
  const isOpen = type === "list" || type === "map";
  if (items && !isOpen) problems.push(`${at}: only lists and maps have items`);
  if (type === "object" && !properties && !variants) problems.push(`${at}: an object has members`);
  if ((properties || variants) && type !== "object") problems.push(`${at}: only an object has members`);
  const nested = [
    items,
    ...Object.values(properties ?? {}),
    ...Object.values(variants ?? {}).flatMap((members) => Object.values(members)),
  ];
  if (!dynamic && nested.some((member) => member?.dynamic)) {
    problems.push(`${at}: what holds a dynamic member is dynamic`);
  }
  if (schema.required && schema.default !== undefined) problems.push(`${at}: required, with a default`);
  return [
    ...problems,
    ...defaultProblems(schema, at),
    ...items ? schemaProblems(items, `${at}[]`) : [],
    ...schemasProblems(properties ?? {}, at),
    ...Object.entries(variants ?? {}).flatMap(([name, members]) =>
      schemasProblems(members, `${at}<${name}>`)
    ),
  ];
}

function textProblems(
  { description, deprecated }: { readonly description: string; readonly deprecated?: string },
  at: string,
): string[] {
  const problems: string[] = [];
  if (!/^\S.*\S\.$/s.test(description)) problems.push(`${at}: the description is no sentence`);
  if (deprecated !== undefined && !/^\S.*[^.\s]$/s.test(deprecated)) {
    problems.push(`${at}: the replacement is no phrase`);
  }
  return problems;
}

function defaultProblems(schema: PropertySchema, at: string): string[] {
  const { default: value, minimum, maximum, values, dynamic } = schema;
  if (value === undefined) return [];
  if (dynamic && typeof value === "string" && value.includes("{{")) return [];
  const problems: string[] = [];
  if (!FITS[schema.type]?.(value)) problems.push(`${at}: the default is no ${schema.type}`);
  if (values && !values.includes(String(value))) problems.push(`${at}: the default is none of the values`);
  if (minimum !== undefined && Number(value) < minimum) problems.push(`${at}: the default is too small`);
  if (maximum !== undefined && Number(value) > maximum) problems.push(`${at}: the default is too large`);
  return problems;
}

/** Which values are defaults of a type; no entry: the type has none. */
const FITS: Partial<Record<PropertyType, (value: JsonValue) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: (value) => typeof value === "number" && Number.isInteger(value),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  duration: (value) => typeof value === "string" && parseDuration(value) !== undefined,
  list: Array.isArray,
};
