/** Filters with regular expressions, and those that replace and split. */
import { includesText, splitByText } from "../../base/text/find_text.ts";
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import {
  type Arguments,
  booleanArgument,
  type FilterEntry,
  integerArgument,
  textArgument,
  textFilter,
  toText,
} from "../entry.ts";
import { fail, kindOf, measureValue } from "../../languages/values/mod.ts";
import { metered, Regex } from "../../languages/regex/mod.ts";
import { mapScalars } from "../map_scalars.ts";
import { keysOf, weightOf } from "../weight.ts";

const REGEX = { parameters: ["regex"], required: 1 } as const;
const REPLACE = { parameters: ["regex", "replacement"], required: 2 } as const;
const EXTRACT = { parameters: ["regex", "group"], required: 1 } as const;

/** Filters with regular expressions; patterns match anywhere in the text. */
export const REGEX_FILTERS: readonly FilterEntry[] = [
  ["regexMatch", {
    ...REGEX,
    apply: (input, args, context) => input !== null && matches(toText(input), args, context),
  }],
  ["regexReplace", {
    ...REPLACE,
    apply: (input, args, context) => input === null ? "" : replace(input, args, context),
  }],
  ["regexExtract", {
    ...EXTRACT,
    apply: (input, args, context) => input === null ? "" : extract(input, args, context),
  }],
  ["split", textFilter({ parameters: ["delimiter", "limit"], required: 1 }, splitText)],
  ["replace", { parameters: ["replace_pairs", "regexp"], required: 1, apply: replaceWithin }],
];

function regexOf(args: Arguments, name: string, context: Context): Regex {
  const source = textArgument(args[0], name);
  return context.memo(`regex:${source}`, () => {
    const regex = new Regex(source);
    context.spend(regex.size);
    return regex;
  });
}

function matches(text: string, args: Arguments, context: Context): boolean {
  const regex = regexOf(args, "regex", context);
  return metered(context, (budget) => regex.find(text, 0, budget)) !== undefined;
}

function replace(input: JsonValue, args: Arguments, context: Context): string {
  const regex = regexOf(args, "regex", context);
  const text = toText(input), replacement = textArgument(args[1], "replacement");
  return metered(context, (budget) => regex.replaceAll(text, replacement, budget));
}

function extract(input: JsonValue, args: Arguments, context: Context): string {
  const group = integerArgument(args[1], "group", 0);
  const regex = regexOf(args, "regex", context);
  if (group < 0 || group > regex.groupCount) {
    fail("argument", `Cannot extract group ${group}: the pattern does not have it`);
  }
  const text = toText(input);
  return metered(context, (budget) => regex.find(text, 0, budget))?.groups[group] ?? "";
}

/** The parts of a text between the matches of `args[0]`, at most `args[1]` of them. @throws ExpressionError `argument`, `limit` */
export function splitText(text: string, args: Arguments, context: Context): JsonValue {
  const limit = integerArgument(args[1], "limit", 0);
  const regex = regexOf(args, "delimiter", context);
  return metered(context, (budget) => regex.split(text, limit, budget));
}

/** Replaces in a text, or in all scalars of a list or map. */
function replaceWithin(input: JsonValue, args: Arguments, context: Context): JsonValue {
  if (typeof input === "object") context.spend(measureValue(input, context).size >>> 8);
  return mapScalars(input, (scalar) => scalar === null ? null : replacePairs(toText(scalar), args, context));
}

function replacePairs(text: string, args: Arguments, context: Context): JsonValue {
  const [pairs = null] = args;
  if (!isJsonObject(pairs)) {
    return fail("argument", `Expected a map as argument "replace_pairs", found ${kindOf(pairs)}`);
  }
  const isRegex = booleanArgument(args[1], "regexp", false);
  let current = text;
  for (const from of keysOf(pairs, context)) {
    const to = toText(pairs[from] as JsonValue);
    context.spend(1 + weightOf(current) + weightOf(to));
    if (!isRegex) {
      current = replaceText(current, [from, to], context);
      continue;
    }
    const regex = regexOf([from], "replace_pairs", context), before = current;
    current = metered(context, (budget) => regex.replaceAll(before, to, budget));
  }
  return current;
}

function replaceText(text: string, [from, to]: readonly [string, string], context: Context): string {
  if (!includesText(text, from)) return text;
  const pieces = splitByText(text, from);
  context.spend(weightOf(pieces));
  context.checkLength(text.length + (pieces.length - 1) * to.length);
  return from === "" ? text.replaceAll(from, () => to) : pieces.join(to);
}
