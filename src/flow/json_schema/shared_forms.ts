/** Gives forms of properties that several types declare a definition, so that a schema holds each of them once. */
import { isJsonObject, type JsonObject, stringifyJson } from "../../base/json.ts";
import { reference } from "./property_form.ts";

/** Of the names of their definitions. */
const PREFIX = "Property.";
const SHARED = reference(PREFIX).$ref as string;
/** Shorter forms stay where they are: a reference would save little. */
const MIN_LENGTH = 200;

/** The definitions of types with references in place of shared forms, and the definitions of these forms. */
export function withSharedForms(
  types: readonly (readonly [name: string, definition: JsonObject])[],
): Map<string, JsonObject> {
  const texts = new Texts();
  const counts = new Map<string, number>();
  for (const form of types.flatMap(([, definition]) => formsOf(definition))) {
    const text = texts.of(form);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const shared = new Map<string, JsonObject>();
  const replaced = (property: string, form: JsonObject): JsonObject => {
    const text = texts.of(form);
    if (text.length < MIN_LENGTH || (counts.get(text) ?? 0) < 2) return form;
    const name = names.get(text) ?? freeName(property, shared);
    names.set(text, name);
    shared.set(name, form);
    return reference(name);
  };
  const shortened = types.map(([name, definition]) => [name, withForms(definition, replaced)] as const);
  return new Map([...shortened, ...shared]);
}

/** Properties with the shared forms themselves in place of the references. */
export function withOwnForms(
  properties: JsonObject,
  definitions: ReadonlyMap<string, JsonObject>,
): JsonObject {
  const own = Object.entries(properties).map(([name, form]) => {
    const target = isJsonObject(form) && typeof form.$ref === "string" ? form.$ref : "";
    const shared = target.startsWith(SHARED)
      ? definitions.get(PREFIX + target.slice(SHARED.length))
      : undefined;
    return [name, shared ?? form];
  });
  return Object.fromEntries(own);
}

/** The texts of forms, each computed once. */
class Texts {
  readonly #known = new Map<JsonObject, string>();

  of(form: JsonObject): string {
    const text = this.#known.get(form) ?? stringifyJson(form);
    this.#known.set(form, text);
    return text;
  }
}

function formsOf({ properties = {} }: JsonObject): JsonObject[] {
  return Object.values(properties as JsonObject).filter(isJsonObject);
}

function withForms(
  definition: JsonObject,
  replaced: (property: string, form: JsonObject) => JsonObject,
): JsonObject {
  const entries = Object.entries((definition.properties ?? {}) as JsonObject);
  const properties = entries.map(([name, form]) => [name, isJsonObject(form) ? replaced(name, form) : form]);
  return { ...definition, properties: Object.fromEntries(properties) };
}

function freeName(property: string, taken: ReadonlyMap<string, JsonObject>): string {
  const first = PREFIX + property;
  let name = first;
  for (let count = 2; taken.has(name); count++) name = `${first}.${count}`;
  return name;
}
