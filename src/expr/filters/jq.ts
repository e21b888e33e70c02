/** The filter that runs jq programs. */
import { type JsonValue, parseJson } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, type FilterEntry, textArgument } from "../entry.ts";
import { fail } from "../../languages/values/mod.ts";
import { jqProgram } from "../../languages/jq/mod.ts";

/** `jq(expression)`: the list of all results; null passes through, a text is read as JSON first. */
export const JQ_FILTERS: readonly FilterEntry[] = [
  ["jq", { parameters: ["expression"], required: 1, apply: runJq }],
];

function runJq(input: JsonValue, args: Arguments, context: Context): JsonValue {
  if (input === null) return null;
  const source = textArgument(args[0], "expression");
  context.spend(source.length >>> 4);
  const value = typeof input === "string" ? readJson(input, context) : input;
  return jqProgram(source).run(value, context);
}

function readJson(text: string, context: Context): JsonValue {
  context.spend(text.length >>> 8);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail("argument", `Cannot read the input of "jq" as JSON: ${error.message}`);
  }
}
