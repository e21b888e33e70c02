/** Statements → closures: scope rules of `for`, `set` and `macro`, and the fast path of a single print. */
import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { type Authorship, namedAuthorshipOf, printAuthorshipOf } from "./authorship.ts";
import type { Expression, FilterCall, Macro, Statement, StatementOf, TemplateTree } from "../syntax/ast.ts";
import { compileFilter, printBlock } from "./compile_call.ts";
import { compileExpression, holds } from "./compile_expression.ts";
import type { Compilation, Counted, Evaluate, Render } from "./compiler.ts";
import { type Context, Frame } from "../context.ts";
import { fail, kindOf, printValue } from "../../languages/values/mod.ts";
import { printInPlace } from "../rendered_texts.ts";
import { keysOf, weightOf, weightOfNodes } from "../weight.ts";

/** Compiles a template. `value` exists only for a template that is one print. */
export function compileTree(
  tree: TemplateTree,
  compilation: Compilation,
): { render: Render; value?: Evaluate } {
  for (const macro of tree.macros.values()) {
    const parameters = macro.parameters.map(({ name }) => ({ name, fallback: undefined }));
    compilation.macros.set(macro.name, { parameters, body: () => "", nodeCount: 0 });
  }
  for (const macro of tree.macros.values()) compileMacro(macro, compilation);
  const [only] = tree.body;
  if (tree.body.length !== 1 || only?.kind !== "print" || tree.macros.size > 0) {
    return { render: compileBody(tree.body, compilation) };
  }
  const value = compileExpression(only.value, compilation);
  return { value, render: printed(value, only.value) };
}

function compileMacro(macro: Macro, compilation: Compilation): void {
  const compiled = compilation.macros.get(macro.name);
  if (!compiled) return;
  compilation.withinMacro(() => {
    compiled.parameters.forEach((parameter, index) => {
      const fallback = macro.parameters[index]?.fallback;
      parameter.fallback = fallback && compileExpression(fallback, compilation);
    });
    Object.assign(compiled, compilation.counted(() => compileBody(macro.body, compilation)));
  });
}

function compileBody(statements: readonly Statement[], compilation: Compilation): Render {
  const parts = statements.map((statement) => compileStatement(statement, compilation));
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  return (context) => {
    let text = "";
    for (let i = 0; i < parts.length; i++) text += (parts[i] as Render)(context);
    return text;
  };
}

function compileStatement(statement: Statement, compilation: Compilation): Render {
  compilation.nodeCount++;
  switch (statement.kind) {
    case "text":
      return literal(statement.text);
    case "raw":
      return compileRaw(statement.text);
    case "print":
      return printed(compileExpression(statement.value, compilation), statement.value);
    case "if":
      return compileIf(statement, compilation);
    case "for":
      return compileFor(statement, compilation);
    case "set":
      return compileSet(statement, compilation);
    case "filter":
      return compileFilterTag(statement.filters, compileBody(statement.body, compilation), compilation);
    case "block":
      return compileBlock(statement, compilation);
  }
}

function literal(text: string): Render {
  if (text.includes("{{") || text.includes("{%")) return verbatim(text);
  return (context) => {
    context.produce(text.length);
    return text;
  };
}

/** The body of a `verbatim` tag: only `raw` shields a text from `render()`. */
function verbatim(text: string): Render {
  return (context) => {
    const { pass } = context;
    const shown = pass.isInPlace ? context.renderSource(context, text, pass) : text;
    context.produce(shown.length);
    return shown;
  };
}

/** Keeps the tags for a later pass, so that it does not evaluate the body. */
function compileRaw(text: string): Render {
  const kept = `{% raw %}${text}{% endraw %}`;
  return (context) => {
    const shown = context.keepsRaw ? kept : text;
    context.produce(shown.length);
    return shown;
  };
}

function printed(value: Evaluate, node: Expression): Render {
  const { start } = node;
  // Asked for few templates: those that `render()` evaluates.
  let authorship: Authorship | undefined;
  return (context) => {
    const result = value(context);
    const { pass } = context;
    if (!pass.isNested) return show(result, start, context);
    const isOwn = (authorship ??= printAuthorshipOf(node))(context);
    if (!isOwn) pass.isOwn = false;
    if (!isOwn || !pass.isInPlace) return show(result, start, context);
    context.at = start;
    return show(printInPlace(result, context), start, context);
  };
}

/** The text of a value that is printed at `start`. */
function show(value: JsonValue, start: number, context: Context): string {
  context.at = start;
  const text = typeof value === "string" ? value : printValue(value, context);
  context.spend(1 + weightOf(text));
  context.produce(text.length);
  return text;
}

function compileIf(statement: StatementOf<"if">, compilation: Compilation): Render {
  const branches = statement.branches.map(({ test, body }) => ({
    test: compileExpression(test, compilation),
    start: test.start,
    body: compileBody(body, compilation),
  }));
  const otherwise = compileBody(statement.otherwise, compilation);
  return (context) => {
    for (const { test, start, body } of branches) {
      if (holds(test(context), context, start)) return body(context);
    }
    return otherwise(context);
  };
}

function compileFor(statement: StatementOf<"for">, compilation: Compilation): Render {
  const sequence = compileExpression(statement.sequence, compilation);
  const { name, sequence: { start } } = statement;
  const { body, nodeCount } = compilation.within(
    [name, "loop"],
    () => compilation.counted(() => compileBody(statement.body, compilation)),
  );
  const authorship = namedAuthorshipOf(statement.sequence, compilation);
  const loop = { name, body, roundSteps: weightOfNodes(nodeCount) };
  const otherwise = compileBody(statement.otherwise, compilation);
  return (context) => {
    const value = sequence(context);
    context.at = start;
    if (value === null) return "";
    const items = itemsOf(value, context);
    if (items.length === 0) return otherwise(context);
    const outer = context.frame ??= new Frame(null);
    const isAuthored = authorship(context);
    context.frame = new Frame(outer);
    const text = runLoop(loop, { values: items, isAuthored }, context);
    context.frame = outer;
    return text;
  };
}

function itemsOf(value: JsonValue, context: Context): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (isJsonObject(value)) {
    return keysOf(value, context).map((key) => ({ key, value: value[key] as JsonValue }));
  }
  return fail("type", `Cannot loop over ${kindOf(value)}`);
}

interface Loop {
  readonly name: string;
  readonly body: Render;
  readonly roundSteps: number;
}

/** What a loop goes through; `isAuthored`: the author alone made it. */
interface Items {
  readonly values: readonly JsonValue[];
  readonly isAuthored: boolean;
}

function runLoop({ name, body, roundSteps }: Loop, { values, isAuthored }: Items, context: Context): string {
  const frame = context.frame as Frame;
  const { length } = values;
  let text = "";
  for (let index = 0; index < length; index++) {
    context.spend(roundSteps);
    const revindex = length - index - 1;
    frame.set("loop", { index, revindex, first: index === 0, last: revindex === 0, length }, false);
    frame.set(name, values[index] as JsonValue, isAuthored);
    text += body(context);
  }
  return text;
}

function compileSet(statement: StatementOf<"set">, compilation: Compilation): Render {
  const value = compileExpression(statement.value, compilation);
  const { name } = statement;
  const authorship = namedAuthorshipOf(statement.value, compilation);
  compilation.declareName(name);
  return (context) => {
    const assigned = value(context);
    context.assign(name, assigned, authorship(context));
    return "";
  };
}

/** Of several blocks of one name, each place prints the last one. */
function compileBlock({ name, body }: StatementOf<"block">, compilation: Compilation): Render {
  const block: Counted = { body: () => "", nodeCount: 0 };
  // Noted before its body is compiled: a block within it comes later.
  compilation.blocks.set(name, block);
  Object.assign(block, compilation.counted(() => compileBody(body, compilation)));
  return (context) => {
    const last = compilation.blocks.get(name) ?? block;
    return last === block ? block.body(context) : printBlock(last, context);
  };
}

function compileFilterTag(filters: readonly FilterCall[], body: Render, compilation: Compilation): Render {
  const text: Evaluate = (context) => {
    const { keepsRaw } = context;
    context.keepsRaw = false;
    const rendered = body(context);
    context.keepsRaw = keepsRaw;
    return rendered;
  };
  const value = filters.reduce((input, filter) => compileFilter(filter, input, compilation), text);
  const start = filters[0]?.start ?? 0;
  return (context) => show(value(context), start, context);
}
