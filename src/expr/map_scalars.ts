/** Changes the scalars of a value. */
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../base/json.ts";

/** The value with each text, number, boolean and null in it replaced; names of members stay. */
export function mapScalars(value: JsonValue, change: (scalar: JsonValue) => JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => mapScalars(item, change));
  if (!isJsonObject(value)) return change(value);
  const changed: JsonObject = {};
  for (const name of Object.keys(value)) {
    setOwnProperty(changed, name, mapScalars(value[name] as JsonValue, change));
  }
  return changed;
}
