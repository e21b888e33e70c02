/** Calls → closures: filters, built-in functions, macros, blocks, host functions; binding of arguments. */
import type { JsonValue } from "../../base/json.ts";
import { type Authorship, authorshipOf, namedAuthorshipOf } from "./authorship.ts";
import type { CallArguments, Expression, ExpressionOf, FilterCall } from "../syntax/ast.ts";
import type { Compilation, CompiledMacro, Counted, Evaluate } from "./compiler.ts";
import { type Context, Frame, type HostFunction } from "../context.ts";
import type { Arguments, BuiltInFunction, Callable, Filter } from "../entry.ts";
import { fail, isInteger, measureValue } from "../../languages/values/mod.ts";
import { FILTERS } from "../filters/registry.ts";
import { FUNCTIONS } from "../functions/registry.ts";
import { weighed, weightOf, weightOfAll, weightOfNodes } from "../weight.ts";

const NO_ARGUMENTS: Arguments = [];
/** Steps of a call of the host, besides those of its arguments and result. */
const HOST_STEPS = 16;

/** Compiles a filter on `input`. @throws ExpressionError `unknown_filter`, `argument` */
export function compileFilter(call: FilterCall, input: Evaluate, compilation: Compilation): Evaluate {
  const filter = FILTERS.get(call.name);
  if (!filter) return compilation.fail("unknown_filter", `Filter [${call.name}] does not exist`, call.start);
  return applied({ call, input, shape: filter, apply: filter.apply }, compilation);
}

/** Compiles the Java class of a number that the expression makes; `undefined` where the value tells its class. */
export function compileNumberClass(node: Expression, compilation: Compilation): Evaluate | undefined {
  if (node.kind === "literal") return isInteger(node.value) ? () => "java.lang.Long" : undefined;
  const filter = node.kind === "filter" ? FILTERS.get(node.filter.name) : undefined;
  if (node.kind !== "filter" || !filter?.classOf) return undefined;
  const input = compilation.compile(node.input, compilation);
  return applied({ call: node.filter, input, shape: filter, apply: filter.classOf }, compilation);
}

interface FilterUse {
  readonly call: FilterCall;
  readonly input: Evaluate;
  readonly shape: Callable;
  readonly apply: Filter["apply"];
}

function applied({ call, input, shape, apply }: FilterUse, compilation: Compilation): Evaluate {
  const { name, start } = call;
  const args = bind({ what: `filter "${name}"`, args: call.args, start }, shape, compilation);
  return (context) => {
    const value = input(context);
    const given = args(context);
    context.at = start;
    context.spend(1 + weightOf(value) + weightOfAll(given));
    return weighed(apply(value, given, context), context);
  };
}

/** Compiles a call: of a macro of the template, else of a built-in function, else of the host. */
export function compileCall(node: ExpressionOf<"call">, compilation: Compilation): Evaluate {
  const macro = compilation.macros.get(node.name);
  if (macro) return compileMacroCall(node, macro, compilation);
  compilation.functionNames.add(node.name);
  if (node.name === "block") return compileBlockCall(node, compilation);
  const builtIn = FUNCTIONS.get(node.name);
  return builtIn ? compileBuiltIn(node, builtIn, compilation) : compileHostCall(node, compilation);
}

function compileBuiltIn(
  node: ExpressionOf<"call">,
  definition: BuiltInFunction,
  compilation: Compilation,
): Evaluate {
  const { start } = node;
  const site = { what: `function "${node.name}"`, args: node.args, start };
  const args = bind(site, definition, compilation);
  const [first] = definition.asksAuthor ? matchParameters(site, definition, compilation) : [];
  const authorship = first && authorshipOf(first);
  return (context) => {
    const given = args(context);
    context.at = start;
    context.spend(1 + weightOfAll(given));
    return weighed(definition.call(given, context, authorship?.(context) ?? false), context);
  };
}

type Bound = (context: Context) => Arguments;

/** A call in the source; `what` names it in errors. */
interface CallSite {
  readonly what: string;
  readonly args: CallArguments;
  readonly start: number;
}

/** Arguments in the order of the parameters. @throws ExpressionError `argument` for unknown, missing and extra ones */
function bind(site: CallSite, callable: Callable, compilation: Compilation): Bound {
  const compiled = matchParameters(site, callable, compilation).map((node) =>
    node && compilation.compile(node, compilation)
  );
  if (compiled.length === 0) return () => NO_ARGUMENTS;
  const [only] = compiled;
  if (compiled.length === 1 && only) return (context) => [only(context)];
  return (context) => compiled.map((evaluate) => evaluate && evaluate(context));
}

function matchParameters(
  { what, args: { positional, named }, start }: CallSite,
  { parameters, required = 0, isVariadic = false }: Callable,
  compilation: Compilation,
): readonly (Expression | undefined)[] {
  const refuse = (reason: string) => compilation.fail("argument", `${reason} ${what}`, start);
  for (const name of named.keys()) {
    const index = parameters.indexOf(name);
    if (index < 0) refuse(`Unknown argument "${name}" of`);
    if (index < positional.length) refuse(`Argument "${name}" is given twice to`);
  }
  if (isVariadic && named.size === 0) return positional;
  if (parameters.length > 0 && positional.length > parameters.length) {
    refuse(`At most ${parameters.length} arguments can be given to`);
  }
  const given = parameters.map((name, index) => positional[index] ?? named.get(name));
  const missing = given.findIndex((node, index) => node === undefined && index < required);
  if (missing >= 0) refuse(`Argument "${parameters[missing]}" is missing for`);
  while (given.length > 0 && given.at(-1) === undefined) given.pop();
  return given;
}

interface GivenArguments {
  readonly positional: readonly Evaluate[];
  readonly named: readonly (readonly [string, Evaluate])[];
}

/** Arguments of a macro by its parameters. */
interface MacroArgument {
  readonly name: string;
  readonly evaluate: Evaluate;
  readonly authorship: Authorship;
}

function compileGiven(args: CallArguments, compilation: Compilation): GivenArguments {
  return {
    positional: args.positional.map((node) => compilation.compile(node, compilation)),
    named: [...args.named].map(([name, node]) => [name, compilation.compile(node, compilation)] as const),
  };
}

function compileHostCall(node: ExpressionOf<"call">, compilation: Compilation): Evaluate {
  const { name, start } = node;
  const given = compileGiven(node.args, compilation);
  return (context) => {
    context.at = start;
    const definition = context.scope.functions.get(name);
    if (!definition) return fail("unknown_function", `Function or Macro [${name}] does not exist`);
    if (definition.isForAuthors && context.pass.isData) {
      fail(
        "argument",
        `Cannot call "${name}" in a text that is data: only texts of the flow itself may call it`,
      );
    }
    const args = hostArguments({ name, given }, definition, context);
    context.at = start;
    // Fetched values are found by the text of the arguments; some functions go through all task runs.
    for (const value of args.values()) {
      if (typeof value === "object") measureValue(value, context);
      else context.spend(weightOf(value));
    }
    context.spend(HOST_STEPS);
    return weighed(definition.call(args), context);
  };
}

function hostArguments(
  { name, given }: { readonly name: string; readonly given: GivenArguments },
  { parameters }: HostFunction,
  context: Context,
): Map<string, JsonValue> {
  const args = new Map<string, JsonValue>();
  const { at } = context;
  if (parameters.length > 0 && given.positional.length > parameters.length) {
    fail("argument", `At most ${parameters.length} arguments can be given to function "${name}"`);
  }
  given.positional.forEach((evaluate, index) => {
    const value = evaluate(context);
    const parameter = parameters[index];
    if (parameter !== undefined) args.set(parameter, value);
  });
  for (const [parameter, evaluate] of given.named) {
    context.at = at;
    if (!parameters.includes(parameter)) {
      fail("argument", `Unknown argument "${parameter}" of function "${name}"`);
    }
    if (args.has(parameter)) {
      fail("argument", `Argument "${parameter}" is given twice to function "${name}"`);
    }
    args.set(parameter, evaluate(context));
  }
  return args;
}

function compileMacroCall(
  node: ExpressionOf<"call">,
  macro: CompiledMacro,
  compilation: Compilation,
): Evaluate {
  const { name, start } = node;
  const { parameters } = macro;
  const { positional, named } = node.args;
  const parameterNames = new Set(parameters.map((parameter) => parameter.name));
  const unknown = named.keys().find((argument) => !parameterNames.has(argument));
  if (unknown !== undefined) {
    compilation.fail("argument", `Unknown argument "${unknown}" of macro "${name}"`, start);
  }
  if (positional.length > parameters.length) {
    compilation.fail(
      "argument",
      `At most ${parameters.length} arguments can be given to macro "${name}"`,
      start,
    );
  }
  const argumentOf = (parameter: string, value: Expression): MacroArgument => ({
    name: parameter,
    evaluate: compilation.compile(value, compilation),
    authorship: namedAuthorshipOf(value, compilation),
  });
  const given = [
    ...positional.map((value, index) => argumentOf((parameters[index] as { name: string }).name, value)),
    ...[...named].map(([argument, value]) => argumentOf(argument, value)),
  ];
  return (context) => {
    context.at = start;
    context.spend(weightOfNodes(macro.nodeCount));
    const frame = new Frame(context.frame, "hidden");
    for (const { name: parameter, evaluate, authorship } of given) {
      frame.set(parameter, evaluate(context), authorship(context));
    }
    return runMacro(macro, frame, context);
  };
}

function runMacro(macro: CompiledMacro, frame: Frame, context: Context): string {
  const { frame: outer, keepsRaw } = context;
  context.enterCall();
  context.frame = frame;
  context.keepsRaw = false;
  for (const { name, fallback } of macro.parameters) {
    if (!frame.names.has(name)) frame.set(name, fallback ? fallback(context) : null, false);
  }
  const text = macro.body(context);
  context.keepsRaw = keepsRaw;
  context.frame = outer;
  context.callDepth--;
  return text;
}

function compileBlockCall(node: ExpressionOf<"call">, compilation: Compilation): Evaluate {
  const { start } = node;
  const shape = { parameters: ["name"], required: 1 };
  const args = bind({ what: 'function "block"', args: node.args, start }, shape, compilation);
  return (context) => {
    const [name = null] = args(context);
    context.at = start;
    const block = typeof name === "string" ? compilation.blocks.get(name) : undefined;
    return block
      ? printBlock(block, context)
      : fail("argument", `Cannot print the block: no block has that name`);
  };
}

/** Prints a block at another place than its own. */
export function printBlock({ body, nodeCount }: Counted, context: Context): string {
  context.enterCall();
  context.spend(weightOfNodes(nodeCount));
  const text = body(context);
  context.callDepth--;
  return text;
}
