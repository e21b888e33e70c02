/** Compiled jq: items, code, names at run time, usage of the limits. */
import type { JsonValue } from "../../base/json.ts";
import { fail, type StepBudget } from "../values/mod.ts";
import { raise } from "./errors.ts";
import { preview } from "./values.ts";

/** Moves of a program that count as one step of the evaluation; eight take about 1 µs. */
const STEP_MOVES = 8;
/** Nested calls of the program's own functions; each takes up to 2 KB of the stack. */
const MAX_CALL_DEPTH = 300;

/** The path of a value in the input, last key first; only within `path(…)` and assignments. */
interface Path {
  readonly parent: Path | null;
  readonly key: JsonValue;
}

/** The path of the input. */
export const ROOT: Path = { parent: null, key: null };
/** The path of a computed value: neither it nor its members can be assigned. */
const NO_PLACE: Path = { parent: null, key: null };

/** A value and its path. */
export interface Item {
  readonly value: JsonValue;
  readonly path: Path | undefined;
}

/** A part of a program. `many` gives the results one by one; `single` exists where there is at most one. */
export interface Code {
  readonly single?: (item: Item, env: Env) => Item | undefined;
  readonly many: (item: Item, env: Env) => Iterable<Item>;
}

/** An argument of a function; runs in the environment of the call. */
export interface Closure {
  readonly code: Code;
  readonly env: Env;
}

const NOTHING: readonly Item[] = [];

/** Code with at most one result. */
export function single(run: (item: Item, env: Env) => Item | undefined): Code {
  const metered = (item: Item, env: Env) => {
    env.machine.spend(1);
    return run(item, env);
  };
  return {
    single: metered,
    many(item, env) {
      const result = metered(item, env);
      return result === undefined ? NOTHING : [result];
    },
  };
}

/** Code with any number of results. */
export function several(run: (item: Item, env: Env) => Iterable<Item>): Code {
  return {
    many(item, env) {
      env.machine.spend(1);
      return run(item, env);
    },
  };
}

/** The item without its path. */
export function plain(item: Item): Item {
  return item.path === undefined ? item : { value: item.value, path: undefined };
}

/** A value computed from an item. */
export function computed(item: Item, value: JsonValue): Item {
  return { value, path: item.path && NO_PLACE };
}

/** The path of a member of an item. @throws JqError when the item has no path itself */
export function memberPath(item: Item, key: JsonValue): Path | undefined {
  if (item.path === undefined) return undefined;
  if (item.path === NO_PLACE) raise(`Invalid path expression with result ${preview(item.value)}`);
  return { parent: item.path, key };
}

/** The keys of an item's path. @throws JqError when it has none */
export function keysOf(item: Item): JsonValue[] {
  if (item.path === NO_PLACE) raise(`Invalid path expression with result ${preview(item.value)}`);
  const keys: JsonValue[] = [];
  for (let path = item.path; path && path.parent; path = path.parent) keys.push(path.key);
  return keys.reverse();
}

/** The value of a name. */
type Bound = JsonValue | Closure | object | undefined;

/** The names at a position of a running program, innermost first. */
export class Env {
  readonly machine: Machine;
  /** Nested calls. */
  readonly depth: number;
  readonly #parent: Env | undefined;
  readonly #id: number;
  readonly #bound: Bound;

  private constructor(parent: Env | Machine, id: number, bound: Bound, depth = 0) {
    this.machine = parent instanceof Env ? parent.machine : parent;
    this.#parent = parent instanceof Env ? parent : undefined;
    this.#id = id;
    this.#bound = bound;
    this.depth = depth;
  }

  /** An environment without names. */
  static of(machine: Machine): Env {
    return new Env(machine, -1, undefined);
  }

  /** This environment with one more name. */
  with(id: number, bound: Bound): Env {
    return new Env(this, id, bound, this.depth);
  }

  /** This environment for the body of a function that `caller` calls. @throws ExpressionError `limit` */
  calledFrom(caller: Env): Env {
    const depth = caller.depth + 1;
    if (depth > MAX_CALL_DEPTH) fail("limit", `Cannot nest more than ${MAX_CALL_DEPTH} calls in jq`);
    return new Env(this, -1, undefined, depth);
  }

  /** The environment that begins with that name. */
  at(id: number): Env {
    return this.#find(id);
  }

  /** The value of a name. */
  get(id: number): Bound {
    return this.#find(id).#bound;
  }

  #find(id: number): Env {
    // deno-lint-ignore no-this-alias
    for (let env: Env | undefined = this; env; env = env.#parent) if (env.#id === id) return env;
    throw new TypeError(`No name ${id} in the jq program`);
  }
}

/** One run of a program. */
export class Machine {
  readonly context: StepBudget;
  #moves = 0;

  constructor(context: StepBudget) {
    this.context = context;
  }

  /** Counts work. @throws ExpressionError `limit` */
  spend(moves: number): void {
    this.#moves += moves;
    if (this.#moves < STEP_MOVES) return;
    this.context.spend(Math.floor(this.#moves / STEP_MOVES));
    this.#moves %= STEP_MOVES;
  }

  /** Counts and checks a list or map of that many elements. @throws ExpressionError `limit` */
  spendElements(length: number): void {
    this.context.checkLength(length);
    this.spend(1 + (length >>> 3));
  }

  /** Counts and checks a text of that length. @throws ExpressionError `limit` */
  spendText(length: number): void {
    this.context.checkLength(length);
    this.spend(1 + (length >>> 5));
  }
}

/** Every combination of the results of several codes; those of the last code change slowest. */
export function* product(codes: readonly Code[], item: Item, env: Env): Iterable<JsonValue[]> {
  const values: JsonValue[] = new Array(codes.length).fill(null);
  if (codes.length === 0) yield values;
  else yield* combinations({ codes, values, at: codes.length - 1 }, item, env);
}

interface Combination {
  readonly codes: readonly Code[];
  readonly values: JsonValue[];
  readonly at: number;
}

function* combinations({ codes, values, at }: Combination, item: Item, env: Env): Iterable<JsonValue[]> {
  for (const { value } of (codes[at] as Code).many(item, env)) {
    values[at] = value;
    if (at > 0) yield* combinations({ codes, values, at: at - 1 }, item, env);
    else yield values.slice();
  }
}

/** Runs codes with at most one result each; gives `undefined` when one has none. */
export function singlesOf(
  codes: readonly Code[],
): ((item: Item, env: Env) => JsonValue[] | undefined) | undefined {
  const singles = codes.map((code) => code.single);
  if (!singles.every((one) => one !== undefined)) return undefined;
  return (item, env) => {
    const values: JsonValue[] = new Array(singles.length);
    for (let at = singles.length - 1; at >= 0; at--) {
      const result = singles[at]?.(item, env);
      if (result === undefined) return undefined;
      values[at] = result.value;
    }
    return values;
  };
}

/** Values that are not yet finished; each takes some 200 bytes. */
const MAX_PENDING = 20_000;

/** The item, then the results of `grow` for it, and for those, depth first and without recursion. @throws ExpressionError `limit` */
export function* unfold(
  item: Item,
  machine: Machine,
  grow: (item: Item, machine: Machine) => Iterable<Item>,
): Iterable<Item> {
  yield item;
  const pending = [grow(item, machine)[Symbol.iterator]()];
  for (let top = pending.at(-1); top; top = pending.at(-1)) {
    machine.spend(1);
    const next = top.next();
    if (next.done) {
      pending.pop();
      continue;
    }
    yield next.value;
    if (pending.length > MAX_PENDING) fail("limit", `Cannot recurse deeper than ${MAX_PENDING} values in jq`);
    pending.push(grow(next.value, machine)[Symbol.iterator]());
  }
}
