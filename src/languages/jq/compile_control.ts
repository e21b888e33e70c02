/** Nodes of control flow: conditions, errors, folds, labels. */
import type { JqNode, NodeOf } from "./ast.ts";
import { type Code, computed, type Env, type Item, plain, several, single } from "./code.ts";
import { compilePattern } from "./compile_pattern.ts";
import { fail } from "../values/mod.ts";
import { BreakSignal, JqError, MOVES_PER_ERROR } from "./errors.ts";
import type { Scope } from "./scope.ts";
import { isTruthy } from "./values.ts";

/** `if condition then … else … end`, for each result of the condition. */
export function compileIf(node: NodeOf<"if">, scope: Scope): Code {
  const condition = scope.compile(node.condition, scope);
  const then = scope.compile(node.then, scope), otherwise = scope.compile(node.otherwise, scope);
  const { single: test } = condition;
  if (test && then.single && otherwise.single) {
    const { single: yes } = then, { single: no } = otherwise;
    return single((item, env) => {
      const result = test(plain(item), env);
      return result && (isTruthy(result.value) ? yes : no)(item, env);
    });
  }
  return several(function* (item, env) {
    for (const { value } of condition.many(plain(item), env)) {
      yield* (isTruthy(value) ? then : otherwise).many(item, env);
    }
  });
}

/** `left and right` */
export function compileAnd(node: NodeOf<"and" | "or" | "pipe" | "comma" | "either">, scope: Scope): Code {
  return compileLogic(node, scope, false);
}

/** `left or right` */
export function compileOr(node: NodeOf<"and" | "or" | "pipe" | "comma" | "either">, scope: Scope): Code {
  return compileLogic(node, scope, true);
}

/** `and` and `or`: skips the right side when the left one is `decisive`. */
function compileLogic(
  { left, right }: { left: JqNode; right: JqNode },
  scope: Scope,
  decisive: boolean,
): Code {
  const first = scope.compile(left, scope), second = scope.compile(right, scope);
  const { single: oneFirst } = first, { single: oneSecond } = second;
  if (oneFirst && oneSecond) {
    return single((item, env) => {
      const a = oneFirst(plain(item), env);
      if (a === undefined || isTruthy(a.value) === decisive) return a && computed(item, decisive);
      const b = oneSecond(plain(item), env);
      return b && computed(item, isTruthy(b.value));
    });
  }
  return several(function* (item, env) {
    for (const a of first.many(plain(item), env)) {
      if (isTruthy(a.value) === decisive) yield computed(item, decisive);
      else for (const b of second.many(plain(item), env)) yield computed(item, isTruthy(b.value));
    }
  });
}

/** `left // right`: the true results of the left side, else those of the right. Errors are not caught. */
export function compileEither({ left, right }: { left: JqNode; right: JqNode }, scope: Scope): Code {
  const first = scope.compile(left, scope), second = scope.compile(right, scope);
  if (first.single && second.single) {
    const { single: oneFirst } = first, { single: oneSecond } = second;
    return single((item, env) => {
      const result = oneFirst(item, env);
      return result && isTruthy(result.value) ? result : oneSecond(item, env);
    });
  }
  return several(function* (item, env) {
    let isAny = false;
    for (const result of first.many(item, env)) {
      if (!isTruthy(result.value)) continue;
      isAny = true;
      yield result;
    }
    if (!isAny) yield* second.many(item, env);
  });
}

function caught<T>(run: () => T, env: Env): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof JqError)) throw error;
    env.machine.spend(MOVES_PER_ERROR);
    return undefined;
  }
}

function* untilError(code: Code, item: Item, env: Env): Iterable<Item> {
  try {
    yield* code.many(item, env);
  } catch (error) {
    if (!(error instanceof JqError)) throw error;
    env.machine.spend(MOVES_PER_ERROR);
  }
}

/** `try body catch handler`; does not catch errors of the code after it. */
export function compileTry({ body, handler }: NodeOf<"try">, scope: Scope): Code {
  const code = scope.compile(body, scope);
  const { single: one } = code;
  if (!handler) return one ? single((item, env) => caught(() => one(item, env), env)) : quiet(code);
  const rescue = scope.compile(handler, scope);
  return several(function* (item, env) {
    let error: JqError;
    try {
      yield* code.many(item, env);
      return;
    } catch (thrown) {
      if (!(thrown instanceof JqError)) throw thrown;
      env.machine.spend(MOVES_PER_ERROR);
      error = thrown;
    }
    yield* rescue.many(computed(item, error.value), env);
  });
}

function quiet(code: Code): Code {
  return several((item, env) => untilError(code, item, env));
}

/** `reduce` and `foreach`. */
export function compileFold(node: NodeOf<"reduce" | "foreach">, scope: Scope): Code {
  const source = scope.compile(node.source, scope), start = scope.compile(node.start, scope);
  const { inner, match } = compilePattern(node.pattern, scope);
  const update = inner.compile(node.update, inner);
  const rounds = function* (item: Item, env: Env): Iterable<Env> {
    for (const result of source.many(plain(item), env)) {
      env.machine.spend(1);
      yield* match(result.value, plain(item), env);
    }
  };
  if (node.kind === "reduce") {
    return fold(start, (state, item, env) => reduced({ state, item, env }, rounds(item, env), update));
  }
  const extract = node.extract && inner.compile(node.extract, inner);
  return several(function* (item, env) {
    for (const state of start.many(item, env)) {
      yield* folded({ state, item, env }, rounds(item, env), { update, extract });
    }
  });
}

interface Folding {
  readonly state: Item;
  readonly item: Item;
  readonly env: Env;
}

function fold(start: Code, run: (state: Item, item: Item, env: Env) => Item): Code {
  const { single: one, many } = start;
  if (one) {
    return single((item, env) => {
      const state = one(item, env);
      return state && run(state, item, env);
    });
  }
  return several(function* (item, env) {
    for (const state of many(item, env)) yield run(state, item, env);
  });
}

/** The last result of each round is the next state; without one it is null. */
function reduced({ state: start, item }: Folding, rounds: Iterable<Env>, update: Code): Item {
  let state = start;
  for (const env of rounds) {
    let last: Item | undefined;
    if (update.single) last = update.single(state, env);
    else for (const result of update.many(state, env)) last = result;
    state = last ?? computed(item, null);
  }
  return state;
}

function* folded(
  { state: start, item }: Folding,
  rounds: Iterable<Env>,
  { update, extract }: { readonly update: Code; readonly extract: Code | undefined },
): Iterable<Item> {
  let state = start;
  for (const env of rounds) {
    let last: Item | undefined;
    for (const result of update.many(state, env)) {
      last = result;
      if (extract) yield* extract.many(result, env);
      else yield result;
    }
    state = last ?? computed(item, null);
  }
}

/** `label $name | body` */
export function compileLabel({ name, body }: NodeOf<"label">, scope: Scope): Code {
  const id = scope.newId();
  const inner = scope.with(`*${name}`, { kind: "label", id });
  const code = inner.compile(body, inner);
  return several(function* (item, env) {
    const token = {};
    try {
      yield* code.many(item, env.with(id, token));
    } catch (thrown) {
      if (!(thrown instanceof BreakSignal) || thrown.token !== token) throw thrown;
    }
  });
}

/** `break $name`. @throws ExpressionError `argument` without an enclosing label of that name */
export function compileBreak({ name }: NodeOf<"break">, scope: Scope): Code {
  const meaning = scope.find(`*${name}`);
  if (meaning?.kind !== "label") fail("argument", `Cannot break to "$${name}" in jq: there is no such label`);
  const { id } = meaning;
  return single((_, env) => {
    env.machine.spend(MOVES_PER_ERROR);
    throw new BreakSignal(env.get(id) as object);
  });
}
