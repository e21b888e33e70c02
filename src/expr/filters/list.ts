/** Filters on lists and maps; some of them take text, too. */
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, type Filter, type FilterEntry, integerArgument, textArgument } from "../entry.ts";
import { compareNumbers, fail, isNumber, joinText, kindOf } from "../../languages/values/mod.ts";
import { ValueSet } from "../equality.ts";
import { isEmptyValue } from "../tests.ts";
import { keysOf, weightOf } from "../weight.ts";

const NONE = { parameters: [] } as const;

/** Filters on lists and maps. Null stays null, except for `length`, `default`, and `distinct` (`"null"`). */
export const LIST_FILTERS: readonly FilterEntry[] = [
  ["default", { parameters: ["default"], required: 1, apply: orDefault }],
  ["length", { ...NONE, apply: lengthOf }],
  ["first", { ...NONE, apply: (input) => elementAt("first", input, 0) }],
  ["last", { ...NONE, apply: (input) => elementAt("last", input, -1) }],
  ["join", { parameters: ["separator"], apply: join }],
  ["slice", { parameters: ["fromIndex", "toIndex"], apply: slice }],
  ["sort", listFilter("sort", NONE, (list, _, context) => sorted(list, context))],
  ["rsort", listFilter("rsort", NONE, (list, _, context) => sorted(list, context).reverse())],
  ["reverse", listFilter("reverse", NONE, (list) => list.toReversed())],
  ["chunk", listFilter("chunk", { parameters: ["size"], required: 1 }, chunk)],
  ["flatten", listFilter("flatten", NONE, flatten)],
  ["distinct", { ...NONE, apply: distinct }],
  ["merge", { parameters: ["items"], required: 1, apply: merge }],
  ["keys", { ...NONE, apply: keys }],
  ["values", { ...NONE, apply: values }],
];

type Shape = Pick<Filter, "parameters" | "required">;

function listFilter(
  name: string,
  shape: Shape,
  apply: (list: JsonValue[], args: Arguments, context: Context) => JsonValue,
): Filter {
  return {
    ...shape,
    apply(input, args, context) {
      if (input === null) return null;
      return Array.isArray(input) ? apply(input, args, context) : refuse(name, input);
    },
  };
}

function refuse(name: string, input: JsonValue): never {
  return fail("type", `Cannot apply the filter "${name}" to ${kindOf(input)}`);
}

function orDefault(input: JsonValue, [fallback = null]: Arguments, context: Context): JsonValue {
  return isEmptyValue(input, context) ? fallback : input;
}

function lengthOf(input: JsonValue, _: Arguments, context: Context): number {
  if (typeof input === "string" || Array.isArray(input)) return input.length;
  return isJsonObject(input) ? keysOf(input, context).length : 0;
}

function elementAt(name: string, input: JsonValue, index: number): JsonValue {
  if (input === null) return null;
  if (typeof input === "string" || Array.isArray(input)) return input.at(index) ?? null;
  return refuse(name, input);
}

function join(input: JsonValue, args: Arguments, context: Context): JsonValue {
  if (input === null) return null;
  if (!Array.isArray(input)) return refuse("join", input);
  const separator = textArgument(args[0], "separator", "");
  const texts = input.map((item) => item === null ? "null" : joinText(item, context));
  let length = separator.length * input.length;
  for (const text of texts) length += text.length;
  context.checkLength(length);
  return texts.join(separator);
}

function slice(input: JsonValue, args: Arguments): JsonValue {
  if (input === null) return null;
  if (typeof input !== "string" && !Array.isArray(input)) return refuse("slice", input);
  const [, toIndex = null] = args;
  const from = integerArgument(args[0], "fromIndex", 0);
  const to = integerArgument(toIndex, "toIndex", input.length);
  if (from < 0 || to > input.length || from > to || (from === to && toIndex !== null)) {
    fail("argument", `Cannot slice from ${from} to ${to}: the length is ${input.length}`);
  }
  return input.slice(from, to);
}

function sorted(list: JsonValue[], context: Context): JsonValue[] {
  // As many comparisons as the bits of the length for each element, 16 of them in a step.
  context.spend(list.length * (33 - Math.clz32(list.length)) >>> 4);
  return list.toSorted((a, b) => compareItems(a, b, context));
}

function compareItems(a: JsonValue, b: JsonValue, context: Context): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === "string" && a.length > 255) context.spend(weightOf(a));
  const isComparable = typeof a === typeof b && (typeof a === "string" || typeof a === "boolean");
  if (!isComparable || a === null || b === null) {
    return fail("type", `Cannot sort ${kindOf(a)} with ${kindOf(b)}`);
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function chunk(list: JsonValue[], args: Arguments): JsonValue {
  const size = integerArgument(args[0], "size");
  if (size < 1) fail("argument", `Cannot cut a list into chunks of ${size}`);
  return Array.from(
    { length: Math.ceil(list.length / size) },
    (_, i) => list.slice(i * size, (i + 1) * size),
  );
}

function flatten(list: JsonValue[], _: Arguments, context: Context): JsonValue {
  let length = 0;
  for (const item of list) length += Array.isArray(item) ? item.length : 1;
  context.checkLength(length);
  return list.flatMap((item) => Array.isArray(item) ? item : [item]);
}

function distinct(list: JsonValue, _: Arguments, context: Context): JsonValue {
  if (list === null) return "null";
  if (!Array.isArray(list)) return refuse("distinct", list);
  const kept: JsonValue[] = [];
  const seen = new ValueSet(context);
  for (const item of list) {
    if (seen.has(item)) continue;
    seen.add(item);
    kept.push(item);
  }
  return kept;
}

function merge(input: JsonValue, [items = null]: Arguments, context: Context): JsonValue {
  if (input === null || items === null) return input ?? items;
  const isMergeable = Array.isArray(items) || isJsonObject(items);
  if (Array.isArray(input) && isMergeable) return [...input, ...itemsOf(items, context)];
  if (!isJsonObject(input) || !isMergeable) {
    return fail("type", `Cannot merge ${kindOf(input)} with ${kindOf(items)}`);
  }
  const merged: JsonObject = {};
  for (const [name, value] of [...entriesOf(input, context), ...entriesOf(items, context)]) {
    setOwnProperty(merged, name, value);
  }
  return merged;
}

/** The items of a list, or the entries of a map as a loop gives them. */
function itemsOf(list: JsonValue[] | JsonObject, context: Context): readonly JsonValue[] {
  if (Array.isArray(list)) return list;
  return keysOf(list, context).map((key) => ({ key, value: list[key] as JsonValue }));
}

/** The entries of a map, or the items of a list with their text as key. */
function entriesOf(map: JsonValue[] | JsonObject, context: Context): (readonly [string, JsonValue])[] {
  if (Array.isArray(map)) return map.map((item) => [joinText(item, context), item]);
  return keysOf(map, context).map((name) => [name, map[name] as JsonValue]);
}

function keys(input: JsonValue, _: Arguments, context: Context): JsonValue {
  if (input === null) return null;
  if (Array.isArray(input)) return input.map((_, index) => index);
  return isJsonObject(input) ? keysOf(input, context) : refuse("keys", input);
}

function values(input: JsonValue, _: Arguments, context: Context): JsonValue {
  if (input === null) return null;
  if (!isJsonObject(input)) return refuse("values", input);
  return keysOf(input, context).map((name) => input[name] as JsonValue);
}
