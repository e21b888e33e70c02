/** Merging of maps, as tasks that change stored values do it. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "./json.ts";

/** The value of a member of which at least one is no map; `before` is absent in a map without it. */
type Join = (before: JsonValue | undefined, given: JsonValue) => JsonValue;

/** A map with the members of both, merged recursively; `join` decides on other values: by default that of `given` is taken. */
export function mergeDeep(
  present: JsonObject,
  given: JsonObject,
  join: Join = (_, value) => value,
): JsonObject {
  const merged: JsonObject = { ...present };
  for (const name of Object.keys(given)) {
    const before = ownProperty(present, name);
    const value = ownProperty(given, name) ?? null;
    const both = isJsonObject(before) && isJsonObject(value);
    setOwnProperty(merged, name, both ? mergeDeep(before, value, join) : join(before, value));
  }
  return merged;
}
