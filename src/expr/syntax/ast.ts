/** Syntax trees of expressions and templates. */
import type { JsonValue } from "../../base/json.ts";

/** Common to all expressions: offsets, and depth of the tree. */
interface Node {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

/** Arguments of a call: positional first, then named. */
export interface CallArguments {
  readonly positional: readonly Expression[];
  readonly named: ReadonlyMap<string, Expression>;
}

/** A filter with its arguments. */
export interface FilterCall {
  readonly name: string;
  readonly args: CallArguments;
  readonly start: number;
}

/** An operator of two operands that evaluates the left one first. */
export type BinaryOperator =
  | "or"
  | "and"
  | "contains"
  | "isIn"
  | "=="
  | "!="
  | "<"
  | ">"
  | "<="
  | ">="
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "~"
  | ".."
  | "??"
  | "???";

/** An expression. */
export type Expression =
  & Node
  & (
    | { readonly kind: "literal"; readonly value: JsonValue }
    | { readonly kind: "interpolation"; readonly parts: readonly Expression[] }
    | { readonly kind: "variable"; readonly name: string }
    | { readonly kind: "member"; readonly object: Expression; readonly name: string }
    | { readonly kind: "index"; readonly object: Expression; readonly key: Expression }
    | {
      readonly kind: "method";
      readonly object: Expression;
      readonly name: string;
      readonly args: CallArguments;
    }
    | { readonly kind: "call"; readonly name: string; readonly args: CallArguments }
    | { readonly kind: "list"; readonly items: readonly Expression[] }
    | { readonly kind: "map"; readonly entries: readonly (readonly [Expression, Expression])[] }
    | { readonly kind: "unary"; readonly operator: "not" | "-" | "+"; readonly operand: Expression }
    | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
    | {
      readonly kind: "ternary";
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    }
    | { readonly kind: "filter"; readonly input: Expression; readonly filter: FilterCall }
    | {
      readonly kind: "test";
      readonly input: Expression;
      readonly name: string;
      readonly isNegated: boolean;
    }
  );

/** An expression of one kind. */
export type ExpressionOf<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** A macro: parameters with their defaults, and a body. */
export interface Macro {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly fallback?: Expression }[];
  readonly body: readonly Statement[];
}

/** A part of a template. */
export type Statement =
  | { readonly kind: "text" | "raw"; readonly text: string }
  | { readonly kind: "print"; readonly value: Expression }
  | {
    readonly kind: "if";
    readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[];
    readonly otherwise: readonly Statement[];
  }
  | {
    readonly kind: "for";
    readonly name: string;
    readonly sequence: Expression;
    readonly body: readonly Statement[];
    readonly otherwise: readonly Statement[];
  }
  | { readonly kind: "set"; readonly name: string; readonly value: Expression }
  | { readonly kind: "filter"; readonly filters: readonly FilterCall[]; readonly body: readonly Statement[] }
  | { readonly kind: "block"; readonly name: string; readonly body: readonly Statement[] };

/** A statement of one kind. */
export type StatementOf<Kind extends Statement["kind"]> = Extract<Statement, { kind: Kind }>;

/** A template; macros and blocks are known before rendering. */
export interface TemplateTree {
  readonly body: readonly Statement[];
  readonly macros: ReadonlyMap<string, Macro>;
  readonly blocks: ReadonlyMap<string, readonly Statement[]>;
  /** Start and end offsets of the prints and tags, in order. */
  readonly spans: readonly number[];
}
