/** Compiled templates. */
import { compileExpression } from "./compile/compile_expression.ts";
import { compileTree } from "./compile/compile_template.ts";
import { Compilation, type Evaluate, type Render } from "./compile/compiler.ts";
import { ExpressionError } from "../languages/values/mod.ts";
import { parseTemplate } from "./syntax/template_parser.ts";

/** A compiled template; stateless, may be rendered any number of times. */
export interface Template {
  readonly source: string;
  /** Without prints, tags and comments: renders to its source. */
  readonly isLiteral: boolean;
  /** Names of the functions that it calls, without its own macros. */
  readonly functionNames: ReadonlySet<string>;
  /** Names of the root variables that it reads, without those that rendered values read. */
  readonly variableNames: ReadonlySet<string>;
}

/** A template with its code. */
export class CompiledTemplate implements Template {
  readonly source: string;
  readonly isLiteral: boolean;
  readonly functionNames: ReadonlySet<string>;
  readonly variableNames: ReadonlySet<string>;
  readonly spans: readonly number[];
  readonly render: Render;
  /** Only for a template that is one print. */
  readonly value: Evaluate | undefined;

  constructor(source: string) {
    const compilation = new Compilation(source, compileExpression);
    const tree = parseTemplate(source);
    const { render, value } = compileTree(tree, compilation);
    this.source = source;
    this.isLiteral = !/\{[{%#]/.test(source);
    this.functionNames = compilation.functionNames;
    this.variableNames = compilation.variableNames;
    this.spans = tree.spans;
    this.render = render;
    this.value = value;
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** A template that renders to its source. */
class LiteralTemplate implements Template {
  readonly source: string;
  readonly isLiteral = true;
  readonly functionNames = NO_NAMES;
  readonly variableNames = NO_NAMES;

  constructor(source: string) {
    this.source = source;
  }
}

/** Compiles a source. @throws ExpressionError `syntax`, `unknown_filter`, `unknown_test`, `argument`, `limit` */
export function compileTemplate(source: string): Template {
  return source.includes("{") ? new CompiledTemplate(source) : new LiteralTemplate(source);
}

/** The code of a template. @throws TypeError when it was not compiled here */
export function codeOf(template: Template): CompiledTemplate {
  if (template instanceof CompiledTemplate) return template;
  throw new TypeError(`Cannot render a template that compileTemplate did not make`);
}

/** The error with its position in the template, unless it has one. */
export function located(error: unknown, template: CompiledTemplate, offset: number): unknown {
  const { source, spans } = template;
  if (error instanceof ExpressionError) return error.at({ source, offset, spans });
  const isOverflow = error instanceof RangeError && error.message.includes("call stack");
  if (!isOverflow) return error;
  return new ExpressionError("limit", "Cannot evaluate: calls or values are nested too deeply", {
    source,
    offset,
    spans,
  });
}
