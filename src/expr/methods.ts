/** Methods of values, `value.name(…)`: of texts, lists, maps and numbers. */
import { Double, isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { includesText, indexOfText, lastIndexOfText, splitByText } from "../base/text/find_text.ts";
import type { Context } from "./context.ts";
import { integerArgument, textArgument } from "./entry.ts";
import { fail, isNumber, joinText, kindOf, type NumberValue, toFloat } from "../languages/values/mod.ts";
import { splitText } from "./filters/regex.ts";
import { areEqual } from "./equality.ts";
import { keysOf, weighed, weightOf, weightOfAll } from "./weight.ts";

/** A method: least and most arguments, and its code. */
interface Method<T> {
  readonly arity: readonly [least: number, most: number];
  /** Takes the same time for values of any size, so only its arguments are charged. */
  readonly isConstant?: true;
  readonly call: (value: T, args: readonly JsonValue[], context: Context) => JsonValue | undefined;
}

type Methods<T> = ReadonlyMap<string, Method<T>>;

function none<T>(call: (value: T, context: Context) => JsonValue): Method<T> {
  return { arity: [0, 0], call: (value, _, context) => call(value, context) };
}

function constant<T>(call: (value: T) => JsonValue): Method<T> {
  return { ...none(call), isConstant: true };
}

/** A method of one text that takes another. */
function withText(call: (text: string, other: string, context: Context) => JsonValue): Method<string> {
  return {
    arity: [1, 1],
    call: (text, [other], context) => call(text, textArgument(other, "value"), context),
  };
}

const TEXT_METHODS: Methods<string> = new Map<string, Method<string>>([
  ["length", constant((text) => text.length)],
  ["isEmpty", constant((text) => text === "")],
  ["isBlank", none((text) => text.trim() === "")],
  ["toUpperCase", none((text) => text.toUpperCase())],
  ["toLowerCase", none((text) => text.toLowerCase())],
  ["trim", none((text) => text.trim())],
  ["strip", none((text) => text.trim())],
  ["contains", withText((text, other) => includesText(text, other))],
  ["startsWith", withText((text, other) => text.startsWith(other))],
  ["endsWith", withText((text, other) => text.endsWith(other))],
  ["indexOf", withText((text, other) => indexOfText(text, other))],
  ["lastIndexOf", withText((text, other) => lastIndexOfText(text, other))],
  ["equals", {
    arity: [1, 1],
    call: (text, [other = null], context) => areEqual(text, other, context),
    isConstant: true,
  }],
  ["equalsIgnoreCase", withText((text, other) => text.toLowerCase() === other.toLowerCase())],
  [
    "concat",
    withText((text, other, context) => {
      context.checkLength(text.length + other.length);
      return text + other;
    }),
  ],
  ["charAt", {
    arity: [1, 1],
    call: (text, [index]) => slice(text, [index, nextOf(index)]),
    isConstant: true,
  }],
  ["substring", { arity: [1, 2], call: slice, isConstant: true }],
  ["replace", { arity: [2, 2], call: replace }],
  ["split", { arity: [1, 2], call: (text, args, context) => splitText(text, args, context) }],
]);

const LIST_METHODS: Methods<JsonValue[]> = new Map<string, Method<JsonValue[]>>([
  ["size", constant((list) => list.length)],
  ["length", constant((list) => list.length)],
  ["isEmpty", constant((list) => list.length === 0)],
  ["get", {
    arity: [1, 1],
    call: (list, [index]) => list[integerArgument(index, "index")],
    isConstant: true,
  }],
  ["contains", { arity: [1, 1], call: (list, [item], context) => indexOf(list, item, context) >= 0 }],
  ["indexOf", { arity: [1, 1], call: (list, [item], context) => indexOf(list, item, context) }],
]);

const MAP_METHODS: Methods<JsonObject> = new Map<string, Method<JsonObject>>([
  ["size", none((map, context) => keysOf(map, context).length)],
  ["isEmpty", none((map, context) => keysOf(map, context).length === 0)],
  ["keySet", none(keysOf)],
  ["values", none(valuesOf)],
  [
    "entrySet",
    none((map, context) => keysOf(map, context).map((key) => ({ key, value: map[key] as JsonValue }))),
  ],
  ["get", {
    arity: [1, 1],
    call: (map, [key = null], context) => ownProperty(map, joinText(key, context)) ?? null,
    isConstant: true,
  }],
  ["getOrDefault", {
    arity: [2, 2],
    call: (map, [key = null, other = null], context) => {
      const value = ownProperty(map, joinText(key, context));
      return value === undefined ? other : value;
    },
    isConstant: true,
  }],
  ["containsKey", {
    arity: [1, 1],
    call: (map, [key = null], context) => Object.hasOwn(map, joinText(key, context)),
  }],
  ["containsValue", {
    arity: [1, 1],
    call: (map, [value], context) => indexOf(valuesOf(map, context), value, context) >= 0,
  }],
]);

const NUMBER_METHODS: Methods<NumberValue> = new Map<string, Method<NumberValue>>([
  ["intValue", none(integerOf)],
  ["longValue", none(integerOf)],
  ["doubleValue", none((value) => new Double(toFloat(value)))],
]);

/** Names of the methods of each kind of value. */
export const METHOD_NAMES = {
  text: [...TEXT_METHODS.keys()],
  list: [...LIST_METHODS.keys()],
  map: [...MAP_METHODS.keys()],
  number: [...NUMBER_METHODS.keys()],
} as const;

/** A method bound to its value. */
type Call = (args: readonly JsonValue[], context: Context) => JsonValue | undefined;

/** The method `value.name`; `undefined` when such a value has none of that name. */
export function findMethod(value: JsonValue, name: string): Call | undefined {
  if (typeof value === "string") return bound(TEXT_METHODS, value, name);
  if (Array.isArray(value)) return bound(LIST_METHODS, value, name);
  if (isNumber(value)) return bound(NUMBER_METHODS, value, name);
  return isJsonObject(value) ? bound(MAP_METHODS, value, name) : undefined;
}

/** `value.name` of a text or a list, for methods without arguments. */
export function propertyOf(
  value: string | JsonValue[],
  name: string,
  context: Context,
): JsonValue | undefined {
  const table: Methods<never> = typeof value === "string" ? TEXT_METHODS : LIST_METHODS;
  const method = table.get(name);
  return method?.arity[1] === 0 ? charged(method, value as never, { args: [], context }) : undefined;
}

function bound<T>(methods: Methods<T>, value: T, name: string): Call | undefined {
  const method = methods.get(name);
  if (!method) return undefined;
  const [least, most] = method.arity;
  return (args, context) => {
    if (args.length < least || args.length > most) {
      const count = least === most ? String(least) : `${least} to ${most}`;
      fail("argument", `Cannot call the method "${name}" with ${args.length} arguments: it takes ${count}`);
    }
    return charged(method, value, { args, context });
  };
}

/** Calls a method; charges the sizes of value, arguments and result. */
function charged<T>(
  method: Method<T>,
  value: T,
  { args, context }: { readonly args: readonly JsonValue[]; readonly context: Context },
): JsonValue | undefined {
  const weight = method.isConstant ? 0 : weightOf(value as JsonValue);
  context.spend(1 + weight + weightOfAll(args));
  const result = method.call(value, args, context);
  return method.isConstant ? result : weighed(result, context);
}

function valuesOf(map: JsonObject, context: Context): JsonValue[] {
  return keysOf(map, context).map((name) => map[name] as JsonValue);
}

function nextOf(index: JsonValue | undefined): number {
  return integerArgument(index, "index") + 1;
}

function slice(text: string, args: readonly (JsonValue | undefined)[]): string {
  const from = integerArgument(args[0], "beginIndex");
  const to = integerArgument(args[1], "endIndex", text.length);
  if (from < 0 || to > text.length || from > to) {
    fail("argument", `Cannot cut the text from ${from} to ${to}: its length is ${text.length}`);
  }
  return text.slice(from, to);
}

function replace(text: string, args: readonly JsonValue[], context: Context): string {
  const from = textArgument(args[0], "target"), to = textArgument(args[1], "replacement");
  const pieces = splitByText(text, from);
  context.spend(weightOf(pieces));
  context.checkLength(text.length + (pieces.length + 1) * to.length);
  return from === "" ? text.replaceAll("", () => to) : pieces.join(to);
}

function indexOf(list: readonly JsonValue[], item: JsonValue = null, context: Context): number {
  context.spend(list.length);
  return list.findIndex((other) => areEqual(other, item, context));
}

function integerOf(value: NumberValue): number | bigint {
  if (!(value instanceof Double)) return value;
  const whole = Math.trunc(value.value);
  return Number.isSafeInteger(whole) ? whole + 0 : fail("type", `Cannot make an integer of ${kindOf(value)}`);
}
