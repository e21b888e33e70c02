/** Filters that print data as JSON and YAML, and the name of its type. */
import { Double, type JsonValue } from "../../base/json.ts";
import { jsonText } from "../../languages/values/mod.ts";
import type { Filter, FilterEntry } from "../entry.ts";
import { yamlText } from "../../languages/yaml/mod.ts";

const TO_JSON: Filter = { parameters: [], apply: (input) => jsonText(input) };

/** Filters that print data. */
export const JSON_FILTERS: readonly FilterEntry[] = [
  ["toJson", TO_JSON],
  ["json", TO_JSON],
  ["yaml", { parameters: [], apply: (input) => input === null ? "null" : yamlText(input) }],
  ["className", { parameters: [], apply: (input) => input === null ? null : classNameOf(input) }],
];

/** The name that types have in flows written for the language's first implementation. */
function classNameOf(value: JsonValue): string {
  if (typeof value === "string") return "java.lang.String";
  if (typeof value === "boolean") return "java.lang.Boolean";
  if (typeof value === "number") return "java.lang.Long";
  if (typeof value === "bigint") return "java.math.BigInteger";
  if (value instanceof Double) return "java.lang.Double";
  return Array.isArray(value) ? "java.util.ArrayList" : "java.util.LinkedHashMap";
}
