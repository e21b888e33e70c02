/** Merging of maps, as tasks that change stored values do it. */
import { isJsonObject, type JsonObject, ownProperty, setOwnProperty } from "./json.ts";

/** A map with the members of both, merged recursively; any other value of `given` replaces the present one. */
export function mergeDeep(present: JsonObject, given: JsonObject): JsonObject {
  const merged: JsonObject = { ...present };
  for (const name of Object.keys(given)) {
    const before = ownProperty(present, name);
    const value = ownProperty(given, name) ?? null;
    const both = isJsonObject(before) && isJsonObject(value);
    setOwnProperty(merged, name, both ? mergeDeep(before, value) : value);
  }
  return merged;
}
