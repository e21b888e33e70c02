/** Functions that compute from their arguments alone, and the current time. */
import { type JsonValue, parseJson } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, type BuiltInFunction, type FunctionEntry, integerArgument } from "../entry.ts";
import {
  compareNumbers,
  fail,
  isNumber,
  kindOf,
  type NumberValue,
  wholeOf,
} from "../../languages/values/mod.ts";
import { nowText } from "../filters/date.ts";
import { rangeOf } from "../operators.ts";
import { parseYaml } from "../../languages/yaml/mod.ts";

/** Characters of JSON that count as one step; YAML takes a step a character, it is a hundred times slower to read. */
const JSON_STEP = 256;

const FROM_JSON: BuiltInFunction = {
  parameters: ["json"],
  required: 1,
  call: (args, context) =>
    readText(args, { language: "JSON", stepLength: JSON_STEP, read: readJson }, context),
};
const FROM_YAML: BuiltInFunction = {
  parameters: ["yaml"],
  required: 1,
  call: (args, context) => readText(args, { language: "YAML", stepLength: 1, read: parseYaml }, context),
};

/** Functions on data. */
export const DATA_FUNCTIONS: readonly FunctionEntry[] = [
  ["range", { parameters: ["start", "end", "increment"], required: 2, call: range }],
  ["max", { parameters: [], isVariadic: true, call: (args) => extreme("max", args, 1) }],
  ["min", { parameters: [], isVariadic: true, call: (args) => extreme("min", args, -1) }],
  ["now", { parameters: ["format", "timeZone", "existingFormat", "locale"], call: nowText }],
  ["fromJson", FROM_JSON],
  ["json", FROM_JSON],
  ["yaml", FROM_YAML],
];

function range([from = null, to = null, ...rest]: Arguments, context: Context): JsonValue {
  const step = wholeOf(rest[0]) ?? integerArgument(rest[0], "increment", 1);
  return rangeOf({ from, to, step }, context);
}

function extreme(name: string, args: Arguments, sign: number): NumberValue {
  let best: NumberValue | undefined;
  for (const value of args) {
    if (!isNumber(value)) return fail("type", `Cannot apply "${name}" to ${kindOf(value ?? null)}`);
    if (best === undefined || compareNumbers(value, best) * sign > 0) best = value;
  }
  return best ?? fail("argument", `Cannot apply "${name}" to nothing`);
}

interface Reader {
  readonly language: string;
  readonly stepLength: number;
  readonly read: (text: string) => JsonValue;
}

function readText(
  [text = null]: Arguments,
  { language, stepLength, read }: Reader,
  context: Context,
): JsonValue {
  if (text === null) return null;
  if (typeof text !== "string") {
    return fail("type", `Cannot read ${kindOf(text)} as ${language}: strings only`);
  }
  context.spend(Math.floor(text.length / stepLength));
  return read(text);
}

function readJson(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail("argument", `Cannot read the JSON text: ${error.message}`);
  }
}
