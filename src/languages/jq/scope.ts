/** Names during compilation. Each becomes a number, so that no name is looked up by its text at run time. */
import type { JqNode } from "./ast.ts";
import type { Code } from "./code.ts";

/** A function of the program; `code` is set after its body, which may call it, is compiled. */
export interface CompiledDefinition {
  readonly id: number;
  /** Numbers of the parameters, which are closures. */
  readonly parameters: readonly number[];
  code: Code | undefined;
}

/** The meaning of a name. */
type Meaning =
  | { readonly kind: "function"; readonly definition: CompiledDefinition }
  | { readonly kind: "closure" | "variable" | "label"; readonly id: number };

/** Compiles a node in a scope. */
export type Compile = (node: JqNode, scope: Scope) => Code;

/** The names at a position, innermost first. */
export class Scope {
  readonly compile: Compile;
  readonly #parent: Scope | undefined;
  readonly #key: string;
  readonly #meaning: Meaning | undefined;
  readonly #numbers: { next: number };

  private constructor(compile: Compile, parent?: Scope, entry?: readonly [key: string, meaning: Meaning]) {
    this.compile = compile;
    this.#parent = parent;
    this.#key = entry?.[0] ?? "";
    this.#meaning = entry?.[1];
    this.#numbers = parent ? parent.#numbers : { next: 0 };
  }

  /** A scope without names. */
  static of(compile: Compile): Scope {
    return new Scope(compile);
  }

  /** A number that is unique in the program. */
  newId(): number {
    return this.#numbers.next++;
  }

  /** This scope with one more name: `f/1`, `$x` or `*label`. */
  with(key: string, meaning: Meaning): Scope {
    return new Scope(this.compile, this, [key, meaning]);
  }

  /** This scope with one more variable. */
  withVariable(name: string, id: number): Scope {
    return this.with(`$${name}`, { kind: "variable", id });
  }

  /** The meaning of a name here. */
  find(key: string): Meaning | undefined {
    // deno-lint-ignore no-this-alias
    for (let scope: Scope | undefined = this; scope; scope = scope.#parent) {
      if (scope.#key === key) return scope.#meaning;
    }
    return undefined;
  }
}
