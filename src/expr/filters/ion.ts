/** Filters that show data as other systems would: as Ion text, and by the name of its Java class. */
import { Double, type JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import type { FilterEntry } from "../entry.ts";
import { ionText } from "../../languages/ion/mod.ts";

const MAX_INT32 = 2 ** 31 - 1;

/** `toIon`, and `className`, which is there for debugging. */
export const ION_FILTERS: readonly FilterEntry[] = [
  ["toIon", { parameters: [], apply: toIon }],
  ["className", { parameters: [], apply: className }],
];

function toIon(input: JsonValue, _: unknown, context: Context): string {
  const text = ionText(input);
  context.spend(text.length >>> 8);
  return text;
}

/** The class that a JVM would hold the value in. */
function className(input: JsonValue): JsonValue {
  if (input === null) return null;
  if (typeof input === "string") return "java.lang.String";
  if (typeof input === "boolean") return "java.lang.Boolean";
  if (typeof input === "bigint") return "java.lang.Long";
  if (typeof input === "number") {
    return input >= -MAX_INT32 - 1 && input <= MAX_INT32 ? "java.lang.Integer" : "java.lang.Long";
  }
  if (input instanceof Double) return "java.lang.Double";
  return Array.isArray(input) ? "java.util.ArrayList" : "java.util.LinkedHashMap";
}
