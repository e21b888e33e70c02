/** The tree of a jq program. */
import type { JsonValue } from "../../base/json.ts";

/** An operator of two values. */
export type Operator = "+" | "-" | "*" | "/" | "%" | "==" | "!=" | "<" | "<=" | ">" | ">=";

/** Assignment operators. */
export type Assignment = "=" | "|=" | "+=" | "-=" | "*=" | "/=" | "%=" | "//=";

/** A destructuring pattern of `as`. */
export type Pattern =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Pattern[] }
  | { readonly kind: "map"; readonly entries: readonly PatternEntry[] };

/** `{key: pattern}`; `name` is that of `$name`, which also binds the member. */
export interface PatternEntry {
  readonly key: JqNode;
  readonly name: string | undefined;
  readonly pattern: Pattern | undefined;
}

/** A function definition; parameters are closures, `$name` parameters are also bound in the body. */
export interface Definition {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: JqNode;
}

/** A part of a program. */
export type JqNode =
  | { readonly kind: "identity" }
  | { readonly kind: "descend" }
  | { readonly kind: "literal"; readonly value: JsonValue }
  | { readonly kind: "text"; readonly format: string; readonly parts: readonly (string | JqNode)[] }
  | { readonly kind: "format"; readonly format: string }
  | { readonly kind: "index"; readonly target: JqNode; readonly key: JqNode }
  | {
    readonly kind: "slice";
    readonly target: JqNode;
    readonly from: JqNode;
    readonly to: JqNode;
  }
  | { readonly kind: "iterate"; readonly target: JqNode }
  | { readonly kind: "list"; readonly body: JqNode | undefined }
  | { readonly kind: "map"; readonly entries: readonly (readonly [key: JqNode, value: JqNode])[] }
  | { readonly kind: "negate"; readonly body: JqNode }
  | {
    readonly kind: "pipe" | "comma" | "and" | "or" | "either";
    readonly left: JqNode;
    readonly right: JqNode;
  }
  | { readonly kind: "operator"; readonly operator: Operator; readonly left: JqNode; readonly right: JqNode }
  | { readonly kind: "assign"; readonly operator: Assignment; readonly left: JqNode; readonly right: JqNode }
  | {
    readonly kind: "if";
    readonly condition: JqNode;
    readonly then: JqNode;
    readonly otherwise: JqNode;
  }
  | { readonly kind: "try"; readonly body: JqNode; readonly handler: JqNode | undefined }
  | {
    readonly kind: "reduce" | "foreach";
    readonly source: JqNode;
    readonly pattern: Pattern;
    readonly start: JqNode;
    readonly update: JqNode;
    readonly extract: JqNode | undefined;
  }
  | { readonly kind: "label"; readonly name: string; readonly body: JqNode }
  | { readonly kind: "break"; readonly name: string }
  | { readonly kind: "define"; readonly definition: Definition; readonly body: JqNode }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly JqNode[] }
  | { readonly kind: "variable"; readonly name: string }
  | {
    readonly kind: "bind";
    readonly source: JqNode;
    readonly patterns: readonly Pattern[];
    readonly body: JqNode;
  };

/** A node of one kind. */
export type NodeOf<K extends JqNode["kind"]> = Extract<JqNode, { readonly kind: K }>;
