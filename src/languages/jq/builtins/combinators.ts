/** Functions whose arguments are evaluated on demand, and functions on paths. */
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import { isNumber, toFloat } from "../../values/mod.ts";
import { getPath, indexValue } from "../access.ts";
import {
  type Code,
  computed,
  type Env,
  type Item,
  keysOf,
  memberPath,
  plain,
  product,
  ROOT,
  several,
  single,
  unfold,
} from "../code.ts";
import { raise } from "../errors.ts";
import { fromFloat, isTruthy } from "../values.ts";
import type { Combinator } from "./entry.ts";

/** Functions by `name/arity`. */
export const COMBINATORS: ReadonlyMap<string, Combinator> = new Map<string, Combinator>([
  ["empty/0", () => single(() => undefined)],
  ["error/0", () => single((item) => raise(item.value))],
  ["error/1", ([message]) => raised(message as Code)],
  ["select/1", ([condition]) => select(condition as Code)],
  ["recurse/1", ([next]) => recurse(next as Code)],
  ["repeat/1", ([body]) => repeat(body as Code)],
  ["while/2", ([condition, next]) => recurse(next as Code, condition)],
  ["until/2", ([condition, next]) => until(condition as Code, next as Code)],
  ["first/1", ([body]) => first(body as Code)],
  ["last/1", ([body]) => last(body as Code)],
  ["limit/2", ([count, body]) => limit(count as Code, body as Code)],
  ["isempty/1", ([body]) => isEmpty(body as Code)],
  ["range/1", ([to]) => range([to as Code])],
  ["range/2", ([from, to]) => range([to as Code, from as Code])],
  ["range/3", ([from, to, by]) => range([by as Code, to as Code, from as Code])],
  ["path/1", ([body]) => path(body as Code)],
  ["getpath/1", ([keys]) => getPathOf(keys as Code)],
  ["debug/0", () => single((item) => item)],
  ["debug/1", () => single((item) => item)],
  ["stderr/0", () => single((item) => item)],
]);

function raised(message: Code): Code {
  return several((item, env) => {
    for (const { value } of message.many(plain(item), env)) raise(value);
    return [];
  });
}

function select(condition: Code): Code {
  const { single: test } = condition;
  if (test) {
    return single((item, env) => {
      const result = test(plain(item), env);
      return result && isTruthy(result.value) ? item : undefined;
    });
  }
  return several(function* (item, env) {
    for (const { value } of condition.many(plain(item), env)) if (isTruthy(value)) yield item;
  });
}

/** The results of the body, repeatedly. */
function repeat(body: Code): Code {
  return several(function* (item, env) {
    for (;;) {
      env.machine.spend(1);
      yield* body.many(item, env);
    }
  });
}

/** The value, the results of `next` for it, and so on, as long as `condition` holds, if given. */
function recurse(next: Code, condition?: Code): Code {
  const guard = condition && select(condition);
  const { single: oneNext } = next;
  if (!guard && oneNext) return several((item, env) => chain(item, env, oneNext));
  const oneGuard = guard?.single;
  if (oneGuard && oneNext) {
    return several((item, env) => {
      const begin = oneGuard(item, env);
      return begin ? chain(begin, env, (from) => mapped(oneNext(from, env), (to) => oneGuard(to, env))) : [];
    });
  }
  return several(function* (item, env) {
    const grow = guard
      ? (from: Item) => guarded(next.many(from, env), guard, env)
      : (from: Item) => next.many(from, env);
    for (const begin of guard ? guard.many(item, env) : [item]) yield* unfold(begin, env.machine, grow);
  });
}

function mapped<T, R>(value: T | undefined, map: (value: T) => R | undefined): R | undefined {
  return value === undefined ? undefined : map(value);
}

function* guarded(items: Iterable<Item>, guard: Code, env: Env): Iterable<Item> {
  for (const item of items) yield* guard.many(item, env);
}

function* chain(
  start: Item,
  env: Env,
  next: (item: Item, env: Env) => Item | undefined,
): Iterable<Item> {
  for (let item: Item | undefined = start; item; item = next(item, env)) {
    env.machine.spend(1);
    yield item;
  }
}

function until(condition: Code, next: Code): Code {
  const { single: test } = condition, { single: oneNext } = next;
  if (test && oneNext) {
    return single((start, env) => {
      let item: Item | undefined = start;
      for (; item; item = oneNext(item, env)) {
        env.machine.spend(1);
        const result = test(plain(item), env);
        if (result === undefined) return undefined;
        if (isTruthy(result.value)) return item;
      }
      return undefined;
    });
  }
  return several(function* (start, env) {
    const grow = function* (item: Item): Iterable<Item> {
      for (const { value } of condition.many(plain(item), env)) {
        if (!isTruthy(value)) yield* next.many(item, env);
      }
    };
    for (const item of unfold(start, env.machine, grow)) {
      for (const { value } of condition.many(plain(item), env)) if (isTruthy(value)) yield item;
    }
  });
}

function first(body: Code): Code {
  if (body.single) return body;
  return single((item, env) => {
    for (const result of body.many(item, env)) return result;
    return undefined;
  });
}

function last(body: Code): Code {
  if (body.single) return body;
  return single((item, env) => {
    let found: Item | undefined;
    for (const result of body.many(item, env)) {
      env.machine.spend(1);
      found = result;
    }
    return found;
  });
}

/** The first results; all for a negative count. */
function limit(count: Code, body: Code): Code {
  return several(function* (item, env) {
    for (const { value } of count.many(plain(item), env)) {
      if (!isNumber(value)) raise("Invalid arguments to limit: the count must be a number");
      const most = toFloat(value);
      if (most < 0) yield* body.many(item, env);
      else yield* taken(most, body.many(item, env));
    }
  });
}

function* taken(most: number, items: Iterable<Item>): Iterable<Item> {
  if (!(most > 0)) return;
  let left = Math.ceil(most);
  for (const item of items) {
    yield item;
    if (--left <= 0) return;
  }
}

function isEmpty(body: Code): Code {
  return single((item, env) => {
    for (const _ of body.many(plain(item), env)) return computed(item, false);
    return computed(item, true);
  });
}

/** `range`: arguments in reverse, because the first one changes slowest. */
function range(codes: readonly Code[]): Code {
  return several(function* (item, env) {
    for (const values of product(codes, plain(item), env)) {
      const [from = 0, to = null, by = 1] = values.length === 1 ? [0, values[0]] : values.toReversed();
      if (![from, to, by].every(isNumber)) raise("Range bounds must be numeric");
      const [start = 0, end = 0, step = 0] = [from, to, by].map((value) => toFloat(value as number));
      yield* counted({ start, end, step }, item, env);
    }
  });
}

function* counted(
  { start, end, step }: { readonly start: number; readonly end: number; readonly step: number },
  item: Item,
  env: Env,
): Iterable<Item> {
  if (step === 0) return;
  for (let value = start; step > 0 ? value < end : value > end; value += step) {
    env.machine.spend(1);
    yield computed(item, fromFloat(value));
  }
}

/** The paths that a program yields, as lists of keys. */
function path(body: Code): Code {
  return several(function* (item, env) {
    for (const result of body.many({ value: item.value, path: ROOT }, env)) {
      yield computed(item, keysOf(result));
    }
  });
}

function getPathOf(keys: Code): Code {
  const get = (item: Item, list: JsonValue, env: Env): Item => {
    if (!Array.isArray(list)) return raise("Path must be specified as an array");
    let at = item;
    for (const key of list) {
      const value = at.value === null && !isJsonObject(key) ? null : indexValue(at.value, key, env.machine);
      at = { value, path: memberPath(at, key) };
    }
    return item.path === undefined ? { value: getPath(item.value, list, env.machine), path: undefined } : at;
  };
  const { single: one } = keys;
  if (one) {
    return single((item, env) => {
      const result = one(plain(item), env);
      return result && get(item, result.value, env);
    });
  }
  return several(function* (item, env) {
    for (const { value } of keys.many(plain(item), env)) yield get(item, value, env);
  });
}
