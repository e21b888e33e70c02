/** Functions of their arguments only, and the current time. */
import { type JsonValue, parseJson } from "../../base/json.ts";
import type { Context } from "../context.ts";
import {
  type Arguments,
  booleanArgument,
  type BuiltInFunction,
  type FunctionEntry,
  integerArgument,
} from "../entry.ts";
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
import { jsonWeightOf } from "../weight.ts";
import { IonError, parseIonText, parseIonTexts } from "../../languages/ion/mod.ts";
import { parseFirstYaml } from "../../languages/yaml/mod.ts";

/** How a text is read; reading YAML takes a hundred times as long as JSON. */
interface Reader {
  readonly language: string;
  /** Steps of reading a text. */
  readonly weight: (text: string) => number;
  readonly read: (text: string) => JsonValue;
}

const JSON_READER: Reader = { language: "JSON", weight: jsonWeightOf, read: readJson };
const YAML_READER: Reader = { language: "YAML", weight: (text) => text.length, read: parseFirstYaml };

const FROM_JSON: BuiltInFunction = {
  parameters: ["json"],
  required: 1,
  call: ([text], context) => readText(text, JSON_READER, context),
};

/** Functions on data. */
export const DATA_FUNCTIONS: readonly FunctionEntry[] = [
  ["range", { parameters: ["start", "end", "increment"], required: 2, call: range }],
  ["max", { parameters: [], isVariadic: true, call: (args) => extreme("max", args, 1) }],
  ["min", { parameters: [], isVariadic: true, call: (args) => extreme("min", args, -1) }],
  ["now", { parameters: ["format", "timeZone", "existingFormat", "locale"], call: nowText }],
  ["fromJson", FROM_JSON],
  ["json", FROM_JSON],
  ["yaml", {
    parameters: ["yaml"],
    required: 1,
    call: ([text = null], context) => readGiven(text, YAML_READER, context),
  }],
];

/** Functions on Ion text. */
export const ION_FUNCTIONS: readonly FunctionEntry[] = [
  ["fromIon", { parameters: ["ion", "allRows"], required: 1, call: fromIon }],
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

/** Reads a text; null stays null. @throws ExpressionError `type`, `argument`, `limit` */
function readText(text: JsonValue | undefined, reader: Reader, context: Context): JsonValue {
  return text === null || text === undefined ? null : readGiven(text, reader, context);
}

/** Reads a text. @throws ExpressionError `type` for null, too, `argument`, `limit` */
function readGiven(text: JsonValue, { language, weight, read }: Reader, context: Context): JsonValue {
  if (typeof text !== "string") {
    return fail("type", `Cannot read ${kindOf(text)} as ${language}: strings only`);
  }
  context.spend(weight(text));
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

/** The first value of an Ion text, or all values as a list. */
function fromIon([text, allRows]: Arguments, context: Context): JsonValue {
  const parse = booleanArgument(allRows, "allRows", false) ? parseIonTexts : parseIonText;
  return readText(text, {
    language: "Ion",
    weight: (ion) => ion.length >>> 5,
    read: (ion) => readIon(ion, parse),
  }, context);
}

function readIon(text: string, parse: (text: string) => JsonValue): JsonValue {
  try {
    return parse(text);
  } catch (error) {
    // The reader reports a malformed text by throwing.
    if (!(error instanceof IonError)) throw error;
    return fail(error.code === "limit" ? "limit" : "argument", error.message);
  }
}
