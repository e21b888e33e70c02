/** Assignment operators: change the values at the paths of the left side. */
import type { JsonValue } from "../../base/json.ts";
import { deletePaths, Editor } from "./access.ts";
import { type Operation, OPERATIONS } from "./arithmetic.ts";
import type { NodeOf, Operator } from "./ast.ts";
import { type Code, computed, type Env, type Item, keysOf, plain, ROOT, several, single } from "./code.ts";
import type { Scope } from "./scope.ts";
import { isTruthy } from "./values.ts";

/** An assignment. Except for `|=`, it gives a result for each value of the right side, which is evaluated on the input. */
export function compileAssignment({ operator, left, right }: NodeOf<"assign">, scope: Scope): Code {
  const places = scope.compile(left, scope), values = scope.compile(right, scope);
  if (operator === "|=") return single((item, env) => computed(item, updated(item, env, { places, values })));
  const combine = combinationOf(operator);
  const assign = (item: Item, env: Env, value: JsonValue) => {
    const editor = new Editor(item.value, env.machine);
    for (const keys of pathsOf(places, item, env)) {
      editor.set(keys, combine ? combine(editor.get(keys), value, env.machine) : value);
    }
    return computed(item, editor.value);
  };
  const { single: one } = values;
  if (one) {
    return single((item, env) => {
      const result = one(plain(item), env);
      return result && assign(item, env, result.value);
    });
  }
  return several(function* (item, env) {
    for (const { value } of values.many(plain(item), env)) yield assign(item, env, value);
  });
}

function combinationOf(operator: string): Operation | undefined {
  if (operator === "=") return undefined;
  if (operator === "//=") return (old, value) => isTruthy(old) ? old : value;
  return OPERATIONS.get(operator.slice(0, -1) as Operator);
}

/** The paths that code yields in a value, as lists of keys. @throws JqError for a computed value */
function* pathsOf(code: Code, { value }: Item, env: Env): Iterable<JsonValue[]> {
  for (const result of code.many({ value, path: ROOT }, env)) yield keysOf(result);
}

interface Update {
  readonly places: Code;
  readonly values: Code;
}

/** Sets each path to the first result for its value; deletes a path without result. */
function updated(item: Item, env: Env, { places, values }: Update): JsonValue {
  const editor = new Editor(item.value, env.machine);
  const gone: JsonValue[][] = [];
  for (const keys of pathsOf(places, item, env)) {
    const old: Item = { value: editor.get(keys), path: undefined };
    const next = firstOf(values, old, env);
    if (next) editor.set(keys, next.value);
    else gone.push(keys);
  }
  return gone.length > 0 ? deletePaths(editor.value, gone, env.machine) : editor.value;
}

function firstOf(code: Code, item: Item, env: Env): Item | undefined {
  if (code.single) return code.single(item, env);
  for (const result of code.many(item, env)) return result;
  return undefined;
}
