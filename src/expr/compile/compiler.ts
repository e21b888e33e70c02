/** The state of a compilation: macros, local names, and the names that the template reads. */
import type { JsonValue } from "../../base/json.ts";
import type { Expression } from "../syntax/ast.ts";
import type { Context } from "../context.ts";
import { ExpressionError, type ExpressionErrorCode } from "../../languages/values/mod.ts";

/** A compiled expression. @throws ExpressionError */
export type Evaluate = (context: Context) => JsonValue;

/** A compiled expression that gives `undefined` for a missing value. */
export type Read = (context: Context) => JsonValue | undefined;

/** A compiled body: its text. @throws ExpressionError */
export type Render = (context: Context) => string;

/** A compiled body and the number of its expressions and statements, which is what running it once costs. */
export interface Counted {
  readonly body: Render;
  readonly nodeCount: number;
}

/** A compiled macro; its body is set when the template is compiled. */
export interface CompiledMacro {
  readonly parameters: readonly { readonly name: string; fallback: Evaluate | undefined }[];
  body: Render;
  nodeCount: number;
}

/** The state of one compilation. */
export class Compilation {
  readonly source: string;
  /** Compiles an expression. */
  readonly compile: (node: Expression, compilation: Compilation) => Evaluate;
  readonly macros = new Map<string, CompiledMacro>();
  readonly blocks = new Map<string, Counted>();
  readonly functionNames = new Set<string>();
  readonly variableNames = new Set<string>();
  /** Expressions and statements compiled so far. */
  nodeCount = 0;
  #locals: Set<string>[] = [new Set()];
  #isInMacro = false;

  constructor(source: string, compile: Compilation["compile"]) {
    this.source = source;
    this.compile = compile;
  }

  /** Notes a name that the template reads. */
  readName(name: string): void {
    if (!this.#isInMacro && !this.#locals.some((names) => names.has(name))) this.variableNames.add(name);
  }

  /** Notes a name that is local from now on. */
  declareName(name: string): void {
    this.#locals.at(-1)?.add(name);
  }

  /** Compiles with local names inside. */
  within<T>(names: readonly string[], compile: () => T): T {
    this.#locals.push(new Set(names));
    const result = compile();
    this.#locals.pop();
    return result;
  }

  /** Compiles code that sees no outer names. */
  withinMacro<T>(compile: () => T): T {
    this.#isInMacro = true;
    const result = compile();
    this.#isInMacro = false;
    return result;
  }

  /** Compiles a body and counts its nodes. */
  counted(compile: () => Render): Counted {
    const before = this.nodeCount;
    const body = compile();
    return { body, nodeCount: this.nodeCount - before };
  }

  /** Refuses the template. @throws ExpressionError always, without spans */
  fail(code: ExpressionErrorCode, reason: string, offset: number): never {
    throw new ExpressionError(code, reason, { source: this.source, offset });
  }
}
