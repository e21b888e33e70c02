/** The names of a program as it is compiled: each becomes a number, so that nothing is looked up by its text at run time. */
import type { JqNode } from "./ast.ts";
import type { Code } from "./code.ts";

/** A function of the program; its code is there once its body is compiled, which may call it. */
export interface CompiledDefinition {
  readonly id: number;
  /** Numbers of the parameters, which stand for closures. */
  readonly parameters: readonly number[];
  code: Code | undefined;
}

/** What a name means. */
type Meaning =
  | { readonly kind: "function"; readonly definition: CompiledDefinition }
  | { readonly kind: "closure" | "variable" | "label"; readonly id: number };

/** Compiles a node in a scope. */
export type Compile = (node: JqNode, scope: Scope) => Code;

/** The names in force at a place, innermost first. */
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

  /** A number that no other name of the program has. */
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

  /** What a name means here. */
  find(key: string): Meaning | undefined {
    // deno-lint-ignore no-this-alias
    for (let scope: Scope | undefined = this; scope; scope = scope.#parent) {
      if (scope.#key === key) return scope.#meaning;
    }
    return undefined;
  }
}
