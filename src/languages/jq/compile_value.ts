/** Nodes of values: literals, texts, lists, maps, members, operators, pipes. */
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { fail } from "../values/mod.ts";
import { indexValue } from "./access.ts";
import { negate, type Operation, OPERATIONS } from "./arithmetic.ts";
import type { NodeOf } from "./ast.ts";
import {
  type Code,
  computed,
  type Env,
  type Item,
  memberPath,
  plain,
  product,
  several,
  single,
  singlesOf,
  unfold,
} from "./code.ts";
import { raise } from "./errors.ts";
import { FORMATS, formatText } from "./formats.ts";
import type { Scope } from "./scope.ts";
import { describe, type Meter } from "./values.ts";

/** Moves per name of a map: listing takes some 200 ns each. */
const MOVES_PER_NAME = 2;

/** `.` */
export const IDENTITY: Code = single((item) => item);

/** `..`: the value and all values in it. */
export const DESCEND: Code = several((item, env) => unfold(item, env.machine, childrenOf));

function childrenOf(item: Item, meter: Meter): Iterable<Item> {
  meter.spend(1);
  const { value } = item;
  return Array.isArray(value) || isJsonObject(value) ? membersOf(item, meter) : [];
}

/** The members of a list or map; counts listing the names. @throws JqError for other values */
function* membersOf(item: Item, meter: Meter): Iterable<Item> {
  const { value } = item;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      yield { value: value[index] as JsonValue, path: memberPath(item, index) };
    }
    return;
  }
  if (!isJsonObject(value)) raise(`Cannot iterate over ${value === null ? "null" : describe(value)}`);
  const names = Object.keys(value);
  meter.spend(MOVES_PER_NAME * names.length);
  for (const name of names) {
    yield { value: value[name] as JsonValue, path: memberPath(item, name) };
  }
}

/** A constant. */
export function compileLiteral({ value }: NodeOf<"literal">): Code {
  return single((item) => computed(item, value));
}

/** A `$name`. @throws ExpressionError `undefined` */
export function compileVariable({ name }: NodeOf<"variable">, scope: Scope): Code {
  const meaning = scope.find(`$${name}`);
  if (meaning?.kind === "variable") {
    const { id } = meaning;
    return single((item, env) => computed(item, env.get(id) as JsonValue));
  }
  if (name === "ENV") return single((item) => computed(item, {}));
  return fail("argument", `Cannot use "$${name}" in jq: it is not defined`);
}

/** A text with interpolations. */
export function compileText(node: NodeOf<"text">, scope: Scope): Code {
  const format = formatOf(node.format);
  const codes = node.parts.map((part) =>
    typeof part === "string" ? constant(part) : formatted(scope.compile(part, scope), format)
  );
  return combined(codes, (texts, env) => {
    const text = texts.join("");
    env.machine.spendText(text.length);
    return text;
  });
}

function constant(text: string): Code {
  return single(() => ({ value: text, path: undefined }));
}

type Format = Parameters<typeof formatText>[0];

function formatted(code: Code, format: Format): Code {
  return through(
    code,
    ({ value }, env) => ({ value: formatText(format, value, env.machine), path: undefined }),
  );
}

/** Code that applies a function to each result. */
function through(code: Code, apply: (item: Item, env: Env) => Item): Code {
  const { single: one, many } = code;
  if (one) {
    return single((item, env) => {
      const result = one(item, env);
      return result && apply(result, env);
    });
  }
  return several(function* (item, env) {
    for (const result of many(item, env)) yield apply(result, env);
  });
}

function formatOf(name: string): Format {
  const format = FORMATS.get(name);
  if (!format) {
    fail("argument", `Unknown jq format "@${name}": formats are ${[...FORMATS.keys()].join(", ")}`);
  }
  return format;
}

/** `@name` */
export function compileFormat({ format: name }: NodeOf<"format">): Code {
  const format = formatOf(name);
  return single((item, env) => computed(item, formatText(format, item.value, env.machine)));
}

/** Code that combines the results of several codes, each combination once. */
function combined(codes: readonly Code[], combine: (values: JsonValue[], env: Env) => JsonValue): Code {
  const singles = singlesOf(codes);
  if (singles) {
    return single((item, env) => {
      const values = singles(plain(item), env);
      return values && computed(item, combine(values, env));
    });
  }
  return several(function* (item, env) {
    for (const values of product(codes, plain(item), env)) yield computed(item, combine(values, env));
  });
}

/** `target[key]`, for each key and each target. */
export function compileIndex({ target, key }: NodeOf<"index">, scope: Scope): Code {
  const access = (item: Item, name: JsonValue, env: Env): Item => ({
    value: indexValue(item.value, name, env.machine),
    path: memberPath(item, name),
  });
  return keyed(scope.compile(target, scope), scope.compile(key, scope), access);
}

/** A member of each target, for each key; keys are computed first. */
function keyed(target: Code, key: Code, access: (item: Item, key: JsonValue, env: Env) => Item): Code {
  const { single: oneTarget } = target, { single: oneKey } = key;
  if (oneTarget && oneKey) {
    return single((item, env) => {
      const name = oneKey(plain(item), env);
      const owner = name && oneTarget(item, env);
      return owner && access(owner, name.value, env);
    });
  }
  return several(function* (item, env) {
    for (const name of key.many(plain(item), env)) {
      for (const owner of target.many(item, env)) yield access(owner, name.value, env);
    }
  });
}

/** `target[from:to]` */
export function compileSlice({ target, from, to }: NodeOf<"slice">, scope: Scope): Code {
  const ends = combined(
    [scope.compile(to, scope), scope.compile(from, scope)],
    ([end = null, start = null]) => ({
      start,
      end,
    }),
  );
  return keyed(scope.compile(target, scope), ends, (item, key, env) => {
    const { value } = item;
    if (isJsonObject(value)) raise("Cannot index object with object");
    return { value: indexValue(value, key, env.machine), path: memberPath(item, key) };
  });
}

/** `target[]` */
export function compileIterate({ target }: NodeOf<"iterate">, scope: Scope): Code {
  const { many } = scope.compile(target, scope);
  return several(function* (item, env) {
    for (const owner of many(item, env)) {
      for (const member of membersOf(owner, env.machine)) {
        env.machine.spend(1);
        yield member;
      }
    }
  });
}

/** `[body]` */
export function compileList({ body }: NodeOf<"list">, scope: Scope): Code {
  if (!body) return single((item) => computed(item, []));
  const { many } = scope.compile(body, scope);
  return single((item, env) => {
    const list: JsonValue[] = [];
    for (const { value } of many(plain(item), env)) {
      env.machine.spend(1);
      list.push(value);
    }
    return computed(item, list);
  });
}

/** `{key: value}`, for each key and each value. */
export function compileMap({ entries }: NodeOf<"map">, scope: Scope): Code {
  // In a product the last code changes slowest; in a map it is the first member.
  const codes = entries.flat().map((node) => scope.compile(node, scope)).reverse();
  return combined(codes, (values) => {
    const map: JsonObject = {};
    for (let at = values.length - 1; at > 0; at -= 2) {
      const name = values[at] ?? null;
      if (typeof name !== "string") raise(`Object keys must be strings`);
      setOwnProperty(map, name, values[at - 1] as JsonValue);
    }
    return map;
  });
}

/** `-body` */
export function compileNegate({ body }: NodeOf<"negate">, scope: Scope): Code {
  return combined([scope.compile(body, scope)], ([value = null]) => negate(value));
}

/** `left | right` */
export function compilePipe({ left, right }: NodeOf<"pipe">, scope: Scope): Code {
  const first = scope.compile(left, scope), second = scope.compile(right, scope);
  const { single: oneFirst } = first, { single: oneSecond } = second;
  if (oneFirst && oneSecond) {
    return single((item, env) => {
      const result = oneFirst(item, env);
      return result && oneSecond(result, env);
    });
  }
  if (oneFirst) {
    return several((item, env) => {
      const result = oneFirst(item, env);
      return result ? second.many(result, env) : [];
    });
  }
  return several(function* (item, env) {
    for (const result of first.many(item, env)) {
      // A result passes through every enclosing pipe.
      env.machine.spend(3);
      yield* second.many(result, env);
    }
  });
}

/** `left, right` */
export function compileComma({ left, right }: NodeOf<"comma">, scope: Scope): Code {
  const first = scope.compile(left, scope), second = scope.compile(right, scope);
  return several(function* (item, env) {
    yield* first.many(item, env);
    yield* second.many(item, env);
  });
}

/** `left operator right` */
export function compileOperator({ operator, left, right }: NodeOf<"operator">, scope: Scope): Code {
  const operation = OPERATIONS.get(operator) as Operation;
  return combined([scope.compile(left, scope), scope.compile(right, scope)], (values, env) => {
    const [a = null, b = null] = values;
    env.machine.spend(1);
    return operation(a, b, env.machine);
  });
}
