/** Definitions and calls: the program's own functions, those in TypeScript, and those in jq. */
import { fail } from "../values/mod.ts";
import type { Definition, JqNode, NodeOf } from "./ast.ts";
import { COMBINATORS } from "./builtins/combinators.ts";
import type { ValueFunction } from "./builtins/entry.ts";
import { PRELUDE } from "./builtins/prelude.ts";
import { FUNCTIONS, UNAVAILABLE } from "./builtins/registry.ts";
import {
  type Closure,
  type Code,
  computed,
  Env,
  plain,
  product,
  several,
  single,
  singlesOf,
} from "./code.ts";
import { quoted } from "./lexer.ts";
import { parseJq } from "./parser.ts";
import { type Compile, type CompiledDefinition, Scope } from "./scope.ts";

/** Functions written in jq, compiled when first used. */
const compiledPrelude = new Map<string, CompiledDefinition>();

/** `def name(…): …; body` */
export function compileDefine({ definition, body }: NodeOf<"define">, scope: Scope): Code {
  const { inner, compiled } = declare(definition, scope);
  const code = inner.compile(body, inner);
  const { id } = compiled;
  const { single: one } = code;
  if (one) return single((item, env) => one(item, env.with(id, undefined)));
  return several((item, env) => code.many(item, env.with(id, undefined)));
}

/** Compiles a definition; `inner` is the scope of what follows it. */
function declare({ name, parameters, body }: Definition, scope: Scope) {
  const ids = parameters.map(() => scope.newId());
  const compiled: CompiledDefinition = { id: scope.newId(), parameters: ids, code: undefined };
  const inner = scope.with(`${name}/${parameters.length}`, { kind: "function", definition: compiled });
  const within = parameters.reduce(
    (outer, parameter, index) => outer.with(`${parameter}/0`, { kind: "closure", id: ids[index] ?? 0 }),
    inner,
  );
  compiled.code = within.compile(body, within);
  return { inner, compiled };
}

/** `name(…)`. @throws ExpressionError `argument` when there is no such function */
export function compileCall({ name, args }: NodeOf<"call">, scope: Scope): Code {
  const key = `${name}/${args.length}`;
  const meaning = scope.find(key);
  if (meaning?.kind === "closure") return callClosure(meaning.id);
  const codes = args.map((arg) => scope.compile(arg, scope));
  if (meaning?.kind === "function") {
    const { definition } = meaning;
    return callDefinition(definition, codes, (env) => env.at(definition.id));
  }
  const combinator = COMBINATORS.get(key);
  if (combinator) return combinator(codes);
  const fn = FUNCTIONS.get(key);
  if (fn) return callFunction(fn, codes);
  const definition = preludeOf(key, scope.compile);
  return callDefinition(definition, codes, (env) => Env.of(env.machine));
}

function callClosure(id: number): Code {
  return several((item, env) => {
    const { code, env: home } = env.get(id) as Closure;
    return code.many(item, home);
  });
}

/** Calls a function; `homeOf` gives the environment of its definition. */
function callDefinition(
  definition: CompiledDefinition,
  codes: readonly Code[],
  homeOf: (env: Env) => Env,
): Code {
  const { parameters } = definition;
  const enter = (env: Env): Env => {
    let inner = homeOf(env).calledFrom(env);
    for (let at = 0; at < parameters.length; at++) {
      inner = inner.with(parameters[at] as number, { code: codes[at], env });
    }
    return inner;
  };
  const one = definition.code?.single;
  if (one) return single((item, env) => one(item, enter(env)));
  return several((item, env) => (definition.code as Code).many(item, enter(env)));
}

/** Calls a function of values, for each combination of its arguments. */
function callFunction(fn: ValueFunction, codes: readonly Code[]): Code {
  const singles = singlesOf(codes);
  if (singles) {
    return single((item, env) => {
      const values = singles(plain(item), env);
      return values && computed(item, fn(item.value, values, env.machine));
    });
  }
  return several(function* (item, env) {
    for (const values of product(codes, plain(item), env)) {
      yield computed(item, fn(item.value, values, env.machine));
    }
  });
}

/** A function that is written in jq. @throws ExpressionError `argument` for an unknown function */
function preludeOf(key: string, compile: Compile): CompiledDefinition {
  const known = compiledPrelude.get(key);
  if (known) return known;
  const [parameters, source] = PRELUDE.get(key) ?? refuse(key);
  const scope = Scope.of(compile);
  const compiled: CompiledDefinition = {
    id: scope.newId(),
    parameters: parameters.map(() => scope.newId()),
    code: undefined,
  };
  compiledPrelude.set(key, compiled);
  const within = parameters.reduce(
    (outer, name, at) => outer.with(`${name}/0`, { kind: "closure", id: compiled.parameters[at] ?? 0 }),
    scope,
  );
  const body: JqNode = parseJq(source);
  compiled.code = within.compile(body, within);
  return compiled;
}

function refuse(key: string): never {
  const reason = UNAVAILABLE.has(key) ? "it is not available here" : "it is not defined";
  return fail("argument", `Cannot use "${quoted(key)}" in jq: ${reason}`);
}
