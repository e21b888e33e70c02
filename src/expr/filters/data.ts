/** Filters on data of any kind: JSON, YAML and Ion text, jq, and the name of the type. */
import { Double, type JsonValue, parseJson, WrittenDecimal } from "../../base/json.ts";
import { ionText } from "../../languages/ion/mod.ts";
import { jqProgram } from "../../languages/jq/mod.ts";
import { fail, jsonText, measureValue } from "../../languages/values/mod.ts";
import { yamlText } from "../../languages/yaml/mod.ts";
import type { Context } from "../context.ts";
import { type Arguments, type Filter, type FilterEntry, textArgument } from "../entry.ts";
import { jsonWeightOf } from "../weight.ts";

const MAX_INT32 = 2 ** 31 - 1;
/** Characters that are written in one step, as a power of two. */
const YAML_SHIFT = 1;
const ION_SHIFT = 5;
const TO_JSON: Filter = { parameters: [], apply: (input, _, context) => jsonText(input, context) };

/** Filters on data. `jq` gives the list of all results, null for null, and reads a text as JSON first. */
export const DATA_FILTERS: readonly FilterEntry[] = [
  ["toJson", TO_JSON],
  ["json", TO_JSON],
  ["yaml", { parameters: [], apply: toYaml }],
  ["className", { parameters: [], apply: className }],
  ["jq", { parameters: ["expression"], required: 1, apply: runJq }],
  ["toIon", { parameters: [], apply: toIon }],
];

function toYaml(input: JsonValue, _: unknown, context: Context): string {
  if (input === null) return "null";
  context.spend(measureValue(input, context).size >>> YAML_SHIFT);
  return yamlText(input, { layout: "open", counter: context });
}

function toIon(input: JsonValue, _: unknown, context: Context): string {
  context.spend(measureValue(input, context).size >>> ION_SHIFT);
  return ionText(input);
}

function runJq(input: JsonValue, args: Arguments, context: Context): JsonValue {
  if (input === null) return null;
  const source = textArgument(args[0], "expression");
  context.spend(source.length >>> 4);
  const value = typeof input === "string" ? readJson(input, context) : input;
  return jqProgram(source).run(value, context);
}

function readJson(text: string, context: Context): JsonValue {
  context.spend(jsonWeightOf(text));
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail("argument", `Cannot read the input of "jq" as JSON: ${error.message}`);
  }
}

/** The Java class of the value, for debugging. */
function className(input: JsonValue): JsonValue {
  if (input === null) return null;
  if (typeof input === "string") return "java.lang.String";
  if (typeof input === "boolean") return "java.lang.Boolean";
  if (typeof input === "bigint") {
    return BigInt.asIntN(64, input) === input ? "java.lang.Long" : "java.math.BigInteger";
  }
  if (typeof input === "number") {
    return input >= -MAX_INT32 - 1 && input <= MAX_INT32 ? "java.lang.Integer" : "java.lang.Long";
  }
  if (input instanceof WrittenDecimal) return "java.math.BigDecimal";
  if (input instanceof Double) return "java.lang.Double";
  return Array.isArray(input) ? "java.util.ArrayList" : "java.util.LinkedHashMap";
}
