/** Schemas whose `type` is one text, as form builders read them: several types become alternatives of `anyOf`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/** Keywords that concern values of one type only. */
const KEYWORDS: ReadonlyMap<JsonValue, readonly string[]> = new Map<JsonValue, readonly string[]>([
  ["string", ["pattern", "patternErrorMessage", "maxLength"]],
  ["integer", ["minimum", "maximum"]],
  ["number", ["minimum", "maximum"]],
  ["array", ["items", "minItems"]],
  ["object", ["properties", "required", "additionalProperties", "allOf", "if", "else"]],
]);
const ALL_KEYWORDS = new Set([...KEYWORDS.values()].flat());

/** The schema, and those of its elements and alternatives, with one type each; it accepts the same values. */
export function withSingleTypes(form: JsonObject): JsonObject {
  const { items, anyOf } = form;
  const inner: JsonObject = {
    ...form,
    ...(isJsonObject(items) && { items: withSingleTypes(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.filter(isJsonObject).flatMap(alternatives) }),
  };
  const { type } = inner;
  if (!Array.isArray(type)) return inner;
  return type.length === 1 ? { ...inner, type: type[0] ?? null } : split(inner, type);
}

/** One alternative, or those of its own if it is nothing but these. */
function alternatives(form: JsonObject): JsonValue[] {
  const single = withSingleTypes(form);
  return Array.isArray(single.anyOf) && Object.keys(single).length === 1 ? single.anyOf : [single];
}

function split({ type: _type, errorMessage, ...form }: JsonObject, types: readonly JsonValue[]): JsonObject {
  const shared = Object.entries(form).filter(([name]) => !ALL_KEYWORDS.has(name));
  const anyOf = types.map((type) => ({
    type,
    ...Object.fromEntries(
      (KEYWORDS.get(type) ?? []).flatMap((name) => Object.hasOwn(form, name) ? [[name, form[name]]] : []),
    ),
    ...(errorMessage !== undefined && { errorMessage }),
  }));
  return { ...Object.fromEntries(shared), anyOf } as JsonObject;
}
