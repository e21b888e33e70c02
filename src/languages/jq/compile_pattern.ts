/** `as`: binds names to values and their parts. */
import type { JsonValue } from "../../base/json.ts";
import { indexValue } from "./access.ts";
import type { NodeOf, Pattern, PatternEntry } from "./ast.ts";
import { type Code, type Env, type Item, several } from "./code.ts";
import { JqError, MOVES_PER_ERROR, raise } from "./errors.ts";
import type { Scope } from "./scope.ts";
import { describe } from "./values.ts";

/** Environments with the bound names, one for each match; keys are computed from `item`. */
type Match = (value: JsonValue, item: Item, env: Env) => Iterable<Env>;

/** A compiled pattern, and the scope after it. */
interface CompiledPattern {
  readonly inner: Scope;
  readonly match: Match;
}

/** The number of a name that a pattern binds. */
type IdOf = (name: string) => number;

/** Compiles a pattern; absent `idOf`: each name gets a number of its own. */
export function compilePattern(
  pattern: Pattern,
  scope: Scope,
  idOf: IdOf = () => scope.newId(),
): CompiledPattern {
  switch (pattern.kind) {
    case "name":
      return compileName(pattern.name, scope, idOf);
    case "list":
      return chained(
        pattern.items.map((item, index) => (within) => element(item, index, within, idOf)),
        scope,
      );
    case "map":
      return chained(pattern.entries.map((entry) => (within) => member(entry, within, idOf)), scope);
  }
}

function compileName(name: string, scope: Scope, idOf: IdOf): CompiledPattern {
  const id = idOf(name);
  const match: Match = (value, _, env) => [env.with(id, value)];
  return { inner: scope.withVariable(name, id), match };
}

/** Matching a part of a pattern takes some 250 ns. */
const MOVES_PER_PART = 2;

/** Matches parts in order; each sees the names of those before it. */
function chained(parts: readonly ((scope: Scope) => CompiledPattern)[], scope: Scope): CompiledPattern {
  let inner = scope;
  const matches = parts.map((part) => {
    const compiled = part(inner);
    inner = compiled.inner;
    return compiled.match;
  });
  const from = (at: number): Match =>
    function* (value, item, env) {
      env.machine.spend(MOVES_PER_PART);
      const match = matches[at];
      if (!match) return void (yield env);
      for (const next of match(value, item, env)) yield* from(at + 1)(value, item, next);
    };
  return { inner, match: from(0) };
}

function element(pattern: Pattern, index: number, scope: Scope, idOf: IdOf): CompiledPattern {
  const { inner, match } = compilePattern(pattern, scope, idOf);
  return {
    inner,
    match: (value, item, env) => match(indexValue(value, index, env.machine), item, env),
  };
}

function member({ key, name, pattern }: PatternEntry, scope: Scope, idOf: IdOf): CompiledPattern {
  const keys = scope.compile(key, scope);
  const bound = name === undefined ? undefined : compileName(name, scope, idOf);
  const below = pattern && compilePattern(pattern, bound?.inner ?? scope, idOf);
  const match: Match = function* (value, item, env) {
    for (const { value: found } of keys.many(item, env)) {
      if (typeof found !== "string") raise(`Cannot index ${describe(value)} with ${describe(found)}`);
      const part = indexValue(value, found, env.machine);
      for (const next of bound ? bound.match(part, item, env) : [env]) {
        if (below) yield* below.match(part, item, next);
        else yield next;
      }
    }
  };
  return { inner: below?.inner ?? bound?.inner ?? scope, match };
}

/** `source as pattern | body`; of several patterns, the first for which neither match nor body fails. */
export function compileBind({ source, patterns, body }: NodeOf<"bind">, scope: Scope): Code {
  const values = scope.compile(source, scope);
  const [only] = patterns;
  const ways = patterns.length === 1 && only
    ? [compileWay(only, scope, body)]
    : compileWays(patterns, scope, body);
  return several(function* (item, env) {
    for (const { value } of values.many({ value: item.value, path: undefined }, env)) {
      yield* firstOf(ways, value, { item, env });
    }
  });
}

type Way = (value: JsonValue, item: Item, env: Env) => Iterable<Item>;

function compileWay(pattern: Pattern, scope: Scope, body: NodeOf<"bind">["body"]): Way {
  const { inner, match } = compilePattern(pattern, scope);
  return wayOf(match, inner.compile(body, inner));
}

function wayOf(match: Match, code: Code): Way {
  return function* (value, item, env) {
    const keysFrom = { value: item.value, path: undefined };
    for (const bound of match(value, keysFrom, env)) yield* code.many(item, bound);
  };
}

/**
 * Binds the names of all patterns in the body; those of other patterns to null. All patterns bind a name to the same number,
 * so that the body is compiled once: with a copy for each, binds within binds would double it at each level.
 */
function compileWays(patterns: readonly Pattern[], scope: Scope, body: NodeOf<"bind">["body"]): Way[] {
  const ids = new Map(patterns.flatMap(namesOf).map((name) => [name, scope.newId()]));
  let outer = scope;
  for (const [name, id] of ids) outer = outer.withVariable(name, id);
  const code = outer.compile(body, outer);
  return patterns.map((pattern) => {
    const { match } = compilePattern(pattern, outer, (name) => ids.get(name) as number);
    const way = wayOf(match, code);
    return (value, item, env) => {
      let nulled = env;
      for (const id of ids.values()) nulled = nulled.with(id, null);
      return way(value, item, nulled);
    };
  });
}

function namesOf(pattern: Pattern): string[] {
  if (pattern.kind === "name") return [pattern.name];
  if (pattern.kind === "list") return pattern.items.flatMap(namesOf);
  return pattern.entries.flatMap((entry) => [
    ...(entry.name === undefined ? [] : [entry.name]),
    ...(entry.pattern ? namesOf(entry.pattern) : []),
  ]);
}

function* firstOf(
  ways: readonly Way[],
  value: JsonValue,
  { item, env }: { readonly item: Item; readonly env: Env },
): Iterable<Item> {
  for (const [index, way] of ways.entries()) {
    try {
      yield* way(value, item, env);
      return;
    } catch (error) {
      if (!(error instanceof JqError) || index === ways.length - 1) throw error;
      env.machine.spend(MOVES_PER_ERROR);
    }
  }
}
