/** Expression trees → closures: evaluation order, short circuits, and missing values. */
import { type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { elementOf, keyText, memberOf } from "./access.ts";
import type { Expression, ExpressionOf } from "../syntax/ast.ts";
import { compileCall, compileFilter, compileNumberClass } from "./compile_call.ts";
import type { Compilation, Evaluate, Read } from "./compiler.ts";
import type { Context } from "../context.ts";
import { affirm, failUndefined, isUndefinedError, joinText, negate } from "../../languages/values/mod.ts";
import { findMethod } from "../methods.ts";
import { isTruthy, type Operation, OPERATIONS } from "../operators.ts";
import { TEST_NAMES, TESTS } from "../tests.ts";
import { weightOf } from "../weight.ts";

type Compile<Kind extends Expression["kind"]> = (
  node: ExpressionOf<Kind>,
  compilation: Compilation,
) => Evaluate;

const COMPILERS: { readonly [Kind in Expression["kind"]]: Compile<Kind> } = {
  literal: ({ value }) => () => value,
  interpolation: compileInterpolation,
  variable: (node, compilation) => compilePath(node, compilation).evaluate,
  member: (node, compilation) => compilePath(node, compilation).evaluate,
  index: (node, compilation) => compilePath(node, compilation).evaluate,
  method: (node, compilation) => compilePath(node, compilation).evaluate,
  call: compileCall,
  list: compileList,
  map: compileMap,
  unary: compileUnary,
  binary: compileBinary,
  ternary: compileTernary,
  filter: compileFiltered,
  test: compileTest,
};

/** Compiles an expression. @throws ExpressionError `unknown_filter`, `unknown_test`, `argument` */
export function compileExpression(node: Expression, compilation: Compilation): Evaluate {
  compilation.nodeCount++;
  return (COMPILERS[node.kind] as Compile<Expression["kind"]>)(node, compilation);
}

function compileFiltered(node: ExpressionOf<"filter">, compilation: Compilation): Evaluate {
  const { input, filter } = node;
  if (filter.name === "className") {
    const numberClass = compileNumberClass(input, compilation);
    if (numberClass) return numberClass;
  }
  const optional = filter.name === "default" ? compileOptional(input, compilation) : undefined;
  return compileFilter(
    filter,
    optional ? (context) => optional(context) ?? null : compileExpression(input, compilation),
    compilation,
  );
}

const PATH_KINDS: ReadonlySet<string> = new Set(["variable", "member", "index", "method"]);

/** Compiles an expression that gives `undefined` for a value missing at any depth. */
function compileOptional(node: Expression, compilation: Compilation): Read {
  if (PATH_KINDS.has(node.kind)) {
    const path = compilePath(node, compilation);
    return path.isPlain ? path.read : guard(path.read);
  }
  return guard(compileExpression(node, compilation));
}

/** Gives `undefined` for a missing value, and restores the frames after the error. */
function guard(read: Read): Read {
  return (context) => {
    const { frame, callDepth, keepsRaw, pass } = context;
    try {
      return read(context);
    } catch (error) {
      if (!isUndefinedError(error)) throw error;
      context.frame = frame;
      context.callDepth = callDepth;
      context.keepsRaw = keepsRaw;
      context.pass = pass;
      return undefined;
    }
  };
}

interface Path {
  /** `undefined` when the value is missing. */
  readonly read: Read;
  readonly evaluate: Evaluate;
  /** The source of the missing part; call only when a value is missing. */
  readonly missing: (context: Context) => string;
  /** Reading never throws. */
  readonly isPlain: boolean;
}

function compilePath(node: Expression, compilation: Compilation): Path {
  switch (node.kind) {
    case "variable": {
      const { name } = node;
      compilation.readName(name);
      const read: Read = (context) => context.lookUp(name);
      return { read, missing: () => name, isPlain: true, evaluate: strictly(read, () => name, node.start) };
    }
    case "member": {
      const { name } = node;
      const object = compilePath(node.object, compilation);
      return step(node, { object, compilation }, (context) => memberOf(object.read(context), name, context));
    }
    case "index":
      return compileIndex(node, compilation);
    case "method":
      return compileMethod(node, compilation);
    default: {
      const evaluate = compileExpression(node, compilation);
      return { read: evaluate, evaluate, missing: () => "", isPlain: false };
    }
  }
}

function compileIndex(node: ExpressionOf<"index">, compilation: Compilation): Path {
  const object = compilePath(node.object, compilation);
  const key = compileExpression(node.key, compilation);
  const { start } = node.key;
  return step(node, { object, compilation }, (context) => {
    const value = object.read(context);
    if (value === undefined) return undefined;
    const name = key(context);
    context.at = start;
    return elementOf(value, name, context);
  });
}

function compileMethod(node: ExpressionOf<"method">, compilation: Compilation): Path {
  const { name, start } = node;
  const object = compilePath(node.object, compilation);
  if (node.args.named.size > 0) {
    compilation.fail("argument", `Cannot name the arguments of the method "${name}"`, start);
  }
  const args = node.args.positional.map((arg) => compileExpression(arg, compilation));
  return step(node, { object, compilation }, (context) => {
    const value = object.read(context);
    const method = value === undefined ? undefined : findMethod(value, name);
    if (!method) return undefined;
    const given = args.map((arg) => arg(context));
    context.at = start;
    return method(given, context);
  });
}

/** The path of a step from `object`; only reading a named member never throws. */
function step(
  node: Expression,
  { object, compilation }: { readonly object: Path; readonly compilation: Compilation },
  read: Read,
): Path {
  const text = compilation.source.slice(node.start, node.end);
  const missing = (context: Context) => object.read(context) === undefined ? object.missing(context) : text;
  const isPlain = object.isPlain && node.kind === "member";
  return { read, missing, isPlain, evaluate: strictly(read, missing, node.start) };
}

function strictly(read: Read, missing: Path["missing"], start: number): Evaluate {
  return (context) => {
    const value = read(context);
    if (value !== undefined) return value;
    const name = missing(context);
    context.at = start;
    return failUndefined(name);
  };
}

function compileInterpolation(node: ExpressionOf<"interpolation">, compilation: Compilation): Evaluate {
  const parts = node.parts.map((part) => compileExpression(part, compilation));
  return (context) => {
    let text = "";
    for (const part of parts) text += joinText(part(context), context);
    context.spend(weightOf(text));
    context.checkLength(text.length);
    return text;
  };
}

function compileList(node: ExpressionOf<"list">, compilation: Compilation): Evaluate {
  const items = node.items.map((item) => compileExpression(item, compilation));
  return (context) => items.map((item) => item(context));
}

function compileMap(node: ExpressionOf<"map">, compilation: Compilation): Evaluate {
  const entries = node.entries.map(([key, value]) =>
    [compileExpression(key, compilation), compileExpression(value, compilation), key.start] as const
  );
  return (context) => {
    const map: JsonObject = {};
    for (const [key, value, start] of entries) {
      const name = key(context);
      context.at = start;
      setOwnProperty(map, keyText(name), value(context));
    }
    return map;
  };
}

function compileUnary(node: ExpressionOf<"unary">, compilation: Compilation): Evaluate {
  const operand = compileExpression(node.operand, compilation);
  const { operator, start } = node;
  const apply = operator === "not"
    ? (value: JsonValue) => !isTruthy(value)
    : operator === "-"
    ? negate
    : affirm;
  return (context) => {
    const value = operand(context);
    context.at = start;
    return apply(value);
  };
}

function compileBinary(node: ExpressionOf<"binary">, compilation: Compilation): Evaluate {
  const { operator, start } = node;
  if (operator === "??" || operator === "???") return compileCoalesce(node, compilation);
  const left = compileExpression(node.left, compilation);
  const right = compileExpression(node.right, compilation);
  if (operator === "and" || operator === "or") {
    const decisive = operator === "or";
    return (context) =>
      holds(left(context), context, start) === decisive ? decisive : holds(right(context), context, start);
  }
  const operation = OPERATIONS.get(operator) as Operation;
  return (context) => {
    const a = left(context), b = right(context);
    context.at = start;
    return operation(a, b, context);
  };
}

/** Truth of a value evaluated at `start`. @throws ExpressionError `type` */
export function holds(value: JsonValue, context: Context, start: number): boolean {
  if (typeof value === "boolean") return value;
  context.at = start;
  return isTruthy(value);
}

function compileCoalesce(node: ExpressionOf<"binary">, compilation: Compilation): Evaluate {
  const left = compileOptional(node.left, compilation);
  const right = compileExpression(node.right, compilation);
  if (node.operator === "??") return (context) => left(context) ?? right(context);
  return (context) => {
    const value = left(context);
    return value === undefined ? right(context) : value;
  };
}

function compileTernary(node: ExpressionOf<"ternary">, compilation: Compilation): Evaluate {
  const test = compileExpression(node.test, compilation);
  const yes = compileExpression(node.yes, compilation);
  const no = compileExpression(node.no, compilation);
  const { start } = node;
  return (context) => {
    const value = test(context);
    return value !== null && holds(value, context, start) ? yes(context) : no(context);
  };
}

function compileTest(node: ExpressionOf<"test">, compilation: Compilation): Evaluate {
  const { name, isNegated, start } = node;
  if (name === "defined") {
    const input = compileOptional(node.input, compilation);
    return (context) => ((input(context) ?? null) !== null) !== isNegated;
  }
  const test = TESTS.get(name);
  if (!test) {
    compilation.fail(
      "unknown_test",
      `Test [${name}] does not exist: tests are ${TEST_NAMES.join(", ")}`,
      start,
    );
  }
  const input = compileExpression(node.input, compilation);
  return (context) => {
    const value = input(context);
    context.at = start;
    return test(value, context) !== isNegated;
  };
}
