/** Methods of values, `value.name(…)`: of texts, lists, maps and numbers. */
import { Double, isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import type { Context } from "./context.ts";
import { integerArgument, textArgument } from "./entry.ts";
import { fail, isNumber, joinText, kindOf, type NumberValue, toFloat } from "../languages/values/mod.ts";
import { splitText } from "./filters/regex.ts";
import { areEqual } from "./operators.ts";

/** A method: least and most arguments, and its code. */
interface Method<T> {
  readonly arity: readonly [least: number, most: number];
  readonly call: (value: T, args: readonly JsonValue[], context: Context) => JsonValue | undefined;
}

type Methods<T> = ReadonlyMap<string, Method<T>>;

function none<T>(call: (value: T, context: Context) => JsonValue): Method<T> {
  return { arity: [0, 0], call: (value, _, context) => call(value, context) };
}

/** A method of one text that takes another. */
function withText(call: (text: string, other: string, context: Context) => JsonValue): Method<string> {
  return {
    arity: [1, 1],
    call: (text, [other], context) => call(text, textArgument(other, "value"), context),
  };
}

const TEXT_METHODS: Methods<string> = new Map<string, Method<string>>([
  ["length", none((text) => text.length)],
  ["isEmpty", none((text) => text === "")],
  ["isBlank", none((text) => text.trim() === "")],
  ["toUpperCase", none((text) => text.toUpperCase())],
  ["toLowerCase", none((text) => text.toLowerCase())],
  ["trim", none((text) => text.trim())],
  ["strip", none((text) => text.trim())],
  ["contains", withText((text, other) => text.includes(other))],
  ["startsWith", withText((text, other) => text.startsWith(other))],
  ["endsWith", withText((text, other) => text.endsWith(other))],
  ["indexOf", withText((text, other) => text.indexOf(other))],
  ["lastIndexOf", withText((text, other) => text.lastIndexOf(other))],
  ["equals", { arity: [1, 1], call: (text, [other]) => text === other }],
  ["equalsIgnoreCase", withText((text, other) => text.toLowerCase() === other.toLowerCase())],
  [
    "concat",
    withText((text, other, context) => {
      context.checkLength(text.length + other.length);
      return text + other;
    }),
  ],
  ["charAt", { arity: [1, 1], call: (text, [index]) => slice(text, [index, nextOf(index)]) }],
  ["substring", { arity: [1, 2], call: slice }],
  ["replace", { arity: [2, 2], call: replace }],
  ["split", { arity: [1, 2], call: (text, args, context) => splitText(text, args, context) }],
]);

const LIST_METHODS: Methods<JsonValue[]> = new Map<string, Method<JsonValue[]>>([
  ["size", none((list) => list.length)],
  ["length", none((list) => list.length)],
  ["isEmpty", none((list) => list.length === 0)],
  ["get", { arity: [1, 1], call: (list, [index]) => list[integerArgument(index, "index")] }],
  ["contains", { arity: [1, 1], call: (list, [item], context) => indexOf(list, item, context) >= 0 }],
  ["indexOf", { arity: [1, 1], call: (list, [item], context) => indexOf(list, item, context) }],
]);

const MAP_METHODS: Methods<JsonObject> = new Map<string, Method<JsonObject>>([
  ["size", none((map) => Object.keys(map).length)],
  ["isEmpty", none((map) => Object.keys(map).length === 0)],
  ["keySet", none((map) => Object.keys(map))],
  ["values", none((map) => Object.values(map))],
  ["entrySet", none((map) => Object.entries(map).map(([key, value]) => ({ key, value })))],
  ["get", { arity: [1, 1], call: (map, [key = null]) => ownProperty(map, joinText(key)) ?? null }],
  ["getOrDefault", {
    arity: [2, 2],
    call: (map, [key = null, other = null]) => {
      const value = ownProperty(map, joinText(key));
      return value === undefined ? other : value;
    },
  }],
  ["containsKey", { arity: [1, 1], call: (map, [key = null]) => Object.hasOwn(map, joinText(key)) }],
  ["containsValue", {
    arity: [1, 1],
    call: (map, [value], context) => indexOf(Object.values(map), value, context) >= 0,
  }],
]);

const NUMBER_METHODS: Methods<NumberValue> = new Map<string, Method<NumberValue>>([
  ["intValue", none(integerOf)],
  ["longValue", none(integerOf)],
  ["doubleValue", none((value) => new Double(toFloat(value)))],
]);

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
  return method?.arity[1] === 0 ? method.call(value as never, [], context) : undefined;
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
    return method.call(value, args, context);
  };
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
  const pieces = text.split(from);
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
