/** Functions of record expressions. Names are compared without case. */
import type { JsonValue } from "../../base/json.ts";
import { compareNumbers, type NumberValue } from "../../languages/values/mod.ts";
import {
  compute,
  flagFrom,
  integerFrom,
  mean,
  numberFrom,
  textFrom,
  timestampFrom,
} from "./record_values.ts";

/** Of a text that is put together from others. */
const MAX_TEXT_CHARS = 32 * 1024 * 1024;

type RecordFunction = (values: readonly JsonValue[]) => JsonValue;

/** A function of one value that is null for null. */
function ofOne(convert: (value: JsonValue) => JsonValue): RecordFunction {
  return ([value = null, ...rest]) => {
    if (rest.length > 0) throw new Error("Expected one argument");
    return value === null ? null : convert(value);
  };
}

/** A function of one list. */
function ofList(convert: (items: readonly JsonValue[]) => JsonValue): RecordFunction {
  return ofOne((list) => {
    if (Array.isArray(list)) return convert(list);
    throw new Error("Expected a list");
  });
}

/** The sum of the values that are not null. */
function sumOf(items: readonly JsonValue[]): JsonValue {
  return present(items).reduce((total: JsonValue, item) => compute("+", total, item), 0);
}

/** The mean of the values that are not null; null without one. */
function meanOf(items: readonly JsonValue[]): JsonValue {
  const { length } = present(items);
  return length === 0 ? null : mean(sumOf(items), length);
}

/** The least or greatest value that is not null; null without one. */
function extremeOf(items: readonly JsonValue[], sign: 1 | -1): JsonValue {
  let found: NumberValue | null = null;
  for (const item of present(items)) {
    const number = numberFrom(item);
    if (found === null || compareNumbers(number, found) * sign > 0) found = number;
  }
  return found;
}

function present(items: readonly JsonValue[]): JsonValue[] {
  return items.filter((item) => item !== null);
}

function joined(texts: readonly string[]): string {
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  if (chars <= MAX_TEXT_CHARS) return texts.join("");
  throw new Error(
    `Cannot join the texts: they have ${chars} characters, and at most ${MAX_TEXT_CHARS} are possible`,
  );
}

const FUNCTIONS: ReadonlyMap<string, RecordFunction> = new Map<string, RecordFunction>([
  ["toint", ofOne(integerFrom)],
  ["todecimal", ofOne(numberFrom)],
  ["tostring", ofOne(textFrom)],
  ["toboolean", ofOne(flagFrom)],
  ["parsetimestamp", ofOne(timestampFrom)],
  ["sum", ofList(sumOf)],
  ["count", ofList(({ length }) => length)],
  ["avg", ofList(meanOf)],
  ["min", ofList((items) => extremeOf(items, -1))],
  ["max", ofList((items) => extremeOf(items, 1))],
  ["coalesce", (values) => values.find((value) => value !== null) ?? null],
  ["concat", (values) => joined(present(values).map(textFrom))],
]);

/** The function of a name. @throws Error there is no such function */
export function functionOf(name: string): RecordFunction {
  const found = FUNCTIONS.get(name.toLowerCase());
  if (found) return found;
  throw new Error(`unknown function "${name}"; functions are ${[...FUNCTIONS.keys()].join(", ")}`);
}
