/** Tokens → expression trees, by precedence climbing. */
import { Double, numberOfSource } from "../../base/json.ts";
import type { BinaryOperator, CallArguments, Expression, FilterCall } from "./ast.ts";
import type { Token } from "./lexer.ts";
import { MAX_SOURCE_DEPTH, MAX_TREE_DEPTH } from "../../languages/values/mod.ts";
import { TokenStream } from "./token_stream.ts";

/** From 2 (loosest) to 10; the ternary binds looser, unary operators and postfix forms tighter. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ["or", 2],
  ["and", 3],
  ["is", 4],
  ["contains", 4],
  ["isIn", 5],
  ["equals", 5],
  ["==", 5],
  ["!=", 5],
  ["<", 5],
  [">", 5],
  ["<=", 5],
  [">=", 5],
  ["+", 6],
  ["-", 6],
  ["*", 7],
  ["/", 7],
  ["%", 7],
  ["|", 8],
  ["~", 9],
  ["..", 10],
  ["??", 10],
  ["???", 10],
]);
const UNARY_PRECEDENCE = 11;
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["TRUE", true],
  ["false", false],
  ["FALSE", false],
  ["null", null],
  ["NULL", null],
  ["none", null],
  ["NONE", null],
]);
const MAX_LONG = 2n ** 63n - 1n;

type Shape<T> = T extends Expression ? Omit<T, "start" | "end" | "depth"> : never;

/** Parses expressions of a token stream, called by the template parser. */
export class ExpressionParser {
  #stream: TokenStream;
  #nesting = 0;

  constructor(stream: TokenStream) {
    this.#stream = stream;
  }

  /** Reads an expression. @throws ExpressionError `syntax`, `limit` */
  parse(): Expression {
    return this.#nested(() => {
      const test = this.#binary(0);
      if (!this.#stream.accept("?")) return test;
      const yes = this.parse();
      this.#stream.expect("punctuation", ":");
      const no = this.parse();
      return this.#node(test.start, { kind: "ternary", test, yes, no }, [test, yes, no]);
    });
  }

  /** A filter name with its arguments, after the `|`. */
  parseFilterCall(): FilterCall {
    const name = this.#stream.expect("name");
    return { name: name.text, args: this.#optionalArguments(), start: name.offset };
  }

  /** Runs a parse one level deeper. @throws ExpressionError `limit` */
  #nested<T>(parse: () => T): T {
    if (++this.#nesting > MAX_SOURCE_DEPTH) {
      this.#stream.fail("Cannot nest expressions any deeper", undefined, "limit");
    }
    const result = parse();
    this.#nesting--;
    return result;
  }

  #node(start: number, shape: Shape<Expression>, children: readonly Expression[] = []): Expression {
    let depth = 0;
    for (const child of children) if (child.depth > depth) depth = child.depth;
    if (++depth > MAX_TREE_DEPTH) this.#stream.fail("Cannot chain any more operators", undefined, "limit");
    return { ...shape, start, end: this.#stream.lastEnd, depth } as Expression;
  }

  #binary(minimum: number): Expression {
    let left = this.#unary();
    while (true) {
      const token = this.#stream.current;
      const precedence = token.type === "operator" ? PRECEDENCE.get(token.text) ?? -1 : -1;
      if (precedence < minimum) return left;
      this.#stream.next();
      left = this.#operation(left, token.text, precedence);
    }
  }

  #operation(left: Expression, operator: string, precedence: number): Expression {
    if (operator === "|") {
      const filter = this.parseFilterCall();
      const children = [left, ...filter.args.positional, ...filter.args.named.values()];
      return this.#node(left.start, { kind: "filter", input: left, filter }, children);
    }
    if (operator === "is") {
      const isNegated = this.#stream.accept("not");
      const name = this.#stream.expect("name").text;
      if (this.#stream.accept("(")) this.#stream.expect("punctuation", ")");
      return this.#node(left.start, { kind: "test", input: left, name, isNegated }, [left]);
    }
    const right = this.#nested(() => this.#binary(precedence + 1));
    const shape = {
      kind: "binary",
      operator: operator === "equals" ? "==" : operator as BinaryOperator,
    } as const;
    return this.#node(left.start, { ...shape, left, right }, [left, right]);
  }

  #unary(): Expression {
    const token = this.#stream.current;
    if (token.type === "operator" && (token.text === "not" || token.text === "-" || token.text === "+")) {
      this.#stream.next();
      const operand = this.#nested(() => this.#binary(UNARY_PRECEDENCE));
      return this.#node(token.offset, { kind: "unary", operator: token.text, operand }, [operand]);
    }
    if (this.#stream.accept("[")) return this.#list(token.offset);
    if (this.#stream.accept("{")) return this.#map(token.offset);
    if (!this.#stream.accept("(")) return this.#postfix(this.#primary());
    const inner = this.parse();
    this.#stream.expect("punctuation", ")");
    return this.#postfix(inner);
  }

  #primary(): Expression {
    const token = this.#stream.current;
    if (token.type === "name") return this.#named(this.#stream.next());
    if (token.type === "number") return this.#number(this.#stream.next());
    if (token.type === "string") return this.#literal(this.#stream.next(), token.text);
    if (token.type === "interpolated") return this.#interpolation(this.#stream.next());
    return this.#stream.fail("Expected an expression");
  }

  #literal(token: Token, value: string | boolean | null): Expression {
    return this.#node(token.offset, { kind: "literal", value });
  }

  #named(token: Token): Expression {
    const constant = CONSTANTS.get(token.text);
    if (constant !== undefined) return this.#literal(token, constant);
    if (!this.#stream.isAt("punctuation", "(")) {
      return this.#node(token.offset, { kind: "variable", name: token.text });
    }
    const args = this.#arguments();
    const children = [...args.positional, ...args.named.values()];
    return this.#node(token.offset, { kind: "call", name: token.text, args }, children);
  }

  #number(token: Token): Expression {
    const value = numberOfSource(token.text.replace("L", ""));
    if (typeof value === "bigint" && value > MAX_LONG) this.#stream.fail("Expected a 64-bit integer", token);
    if (value instanceof Double && !Number.isFinite(value.value)) {
      this.#stream.fail("Expected a smaller number", token);
    }
    return this.#node(token.offset, { kind: "literal", value });
  }

  #interpolation(token: Token): Expression {
    const parts = (token.parts ?? []).map((part) =>
      typeof part === "string" ? this.#literal(token, part) : this.#inner(part)
    );
    return this.#node(token.offset, { kind: "interpolation", parts }, parts);
  }

  #inner(tokens: readonly Token[]): Expression {
    const outer = this.#stream;
    this.#stream = new TokenStream(outer.source, tokens);
    const expression = this.parse();
    this.#stream.expect("end");
    this.#stream = outer;
    return expression;
  }

  #list(start: number): Expression {
    const items: Expression[] = [];
    if (!this.#stream.accept("]")) {
      do items.push(this.parse()); while (this.#stream.accept(","));
      this.#stream.expect("punctuation", "]");
    }
    return this.#node(start, { kind: "list", items }, items);
  }

  #map(start: number): Expression {
    const entries: (readonly [Expression, Expression])[] = [];
    if (!this.#stream.accept("}")) {
      do {
        const key = this.parse();
        this.#stream.expect("punctuation", ":");
        entries.push([key, this.parse()]);
      } while (this.#stream.accept(","));
      this.#stream.expect("punctuation", "}");
    }
    return this.#node(start, { kind: "map", entries }, entries.flat());
  }

  #postfix(expression: Expression): Expression {
    let object = expression;
    while (true) {
      if (this.#stream.accept(".")) object = this.#member(object);
      else if (this.#stream.accept("[")) object = this.#index(object);
      else return object;
    }
  }

  #member(object: Expression): Expression {
    const token = this.#stream.current;
    const isWord = token.type === "name" || token.type === "operator" && /^[a-z]/i.test(token.text);
    if (!isWord) this.#stream.fail("Expected a name");
    const name = this.#stream.next().text;
    if (!this.#stream.isAt("punctuation", "(")) {
      return this.#node(object.start, { kind: "member", object, name }, [object]);
    }
    const args = this.#arguments();
    return this.#node(object.start, { kind: "method", object, name, args }, [object, ...args.positional]);
  }

  #index(object: Expression): Expression {
    const key = this.parse();
    this.#stream.expect("punctuation", "]");
    return this.#node(object.start, { kind: "index", object, key }, [object, key]);
  }

  #optionalArguments(): CallArguments {
    if (this.#stream.isAt("punctuation", "(")) return this.#arguments();
    return { positional: [], named: new Map() };
  }

  #arguments(): CallArguments {
    const positional: Expression[] = [];
    const named = new Map<string, Expression>();
    this.#stream.expect("punctuation", "(");
    if (this.#stream.accept(")")) return { positional, named };
    do this.#argument(positional, named); while (this.#stream.accept(","));
    this.#stream.expect("punctuation", ")");
    return { positional, named };
  }

  #argument(positional: Expression[], named: Map<string, Expression>): void {
    const token = this.#stream.current;
    const { following } = this.#stream;
    if (token.type === "name" && following.type === "punctuation" && following.text === "=") {
      if (named.has(token.text)) this.#stream.fail("Expected each argument once");
      this.#stream.next();
      this.#stream.next();
      named.set(token.text, this.parse());
    } else if (named.size > 0) {
      this.#stream.fail("Expected a named argument");
    } else {
      positional.push(this.parse());
    }
  }
}
