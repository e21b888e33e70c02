/** Rendered properties of conditions, as texts. */
import { type JsonObject, type JsonValue, ownProperty, stringifyJson } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";

/** The text of a property; empty when there is none. */
export function textOf(properties: JsonObject, name: string): string {
  const value = ownProperty(properties, name) ?? null;
  return value === null ? "" : scalarText(value);
}

/** The texts of a list, which may be given as its JSON; `undefined` when there is none. */
export function textsOf(properties: JsonObject, name: string): string[] | undefined {
  const value = readStructure(ownProperty(properties, name) ?? null);
  if (value === null) return undefined;
  return (Array.isArray(value) ? value : [value]).map(scalarText);
}

function scalarText(value: JsonValue): string {
  return typeof value === "object" && value !== null && !("value" in value)
    ? stringifyJson(value)
    : String(value);
}
