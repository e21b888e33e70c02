/** jq text → tree. Operators by binding strength; what binds tighter is in `term_parser.ts`. */
import { fail, MAX_SOURCE_DEPTH, MAX_TREE_DEPTH } from "../values/mod.ts";
import type { Assignment, Definition, JqNode, Operator, Pattern, PatternEntry } from "./ast.ts";
import { Lexer, quoted } from "./lexer.ts";
import { parsePrimary } from "./term_parser.ts";

const ASSIGNMENTS: ReadonlySet<string> = new Set(["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="]);
const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);
const SUMS: ReadonlySet<string> = new Set(["+", "-"]);
const PRODUCTS: ReadonlySet<string> = new Set(["*", "/", "%"]);
/** A bracket is two levels: that of the term, and that of the expression in it. */
const MAX_DEPTH = 2 * MAX_SOURCE_DEPTH;
const IDENTITY: JqNode = { kind: "identity" };

/** Parses a program; an empty one is `.`. @throws ExpressionError `syntax`, `limit` */
export function parseJq(source: string): JqNode {
  const parser = new JqParser(source);
  if (parser.lexer.peek().kind === "end") return IDENTITY;
  const node = parser.parsePipe();
  if (parser.lexer.peek().kind !== "end") parser.lexer.fail("an operator or the end");
  return node;
}

/** Recursive descent over one program. */
class JqParser {
  readonly lexer: Lexer;
  readonly #source: string;
  #depth = 0;
  #chained = 0;

  constructor(source: string) {
    this.#source = source;
    this.lexer = new Lexer(source);
  }

  /** A whole expression: definitions, pipes, and all that binds tighter. */
  parsePipe(): JqNode {
    if (++this.#depth > MAX_DEPTH) this.#failDepth();
    const node = this.#pipe();
    this.#depth--;
    return node;
  }

  /** An expression without pipes and commas: a value in `{key: value}`, whose own pipes are the caller's. */
  parseAlternative(): JqNode {
    const left = this.#parseAssignment();
    if (!this.accept("//")) return left;
    if (++this.#depth > MAX_DEPTH) this.#failDepth();
    const right = this.parseAlternative();
    this.#depth--;
    return { kind: "either", left, right };
  }

  /** A term with its suffixes, such as `.a[0]?`. */
  parseTerm(): JqNode {
    if (++this.#depth > MAX_DEPTH) this.#failDepth();
    const primary = parsePrimary(this);
    let node = primary;
    for (let next = this.#suffix(node); next !== undefined; next = this.#suffix(node)) {
      this.#chain();
      node = next.kind === "try" && node !== primary ? lastTried(node) : next;
    }
    this.#depth--;
    return node;
  }

  /** A term with signs before it, and with the names that `as` gives to it and all that then follows. */
  parseSigned(): JqNode {
    let signs = 0;
    for (; this.accept("-"); signs++) this.#chain();
    let node = this.#parseBound();
    for (; signs > 0; signs--) node = { kind: "negate", body: node };
    return node;
  }

  /** Takes a sign, if it comes next. */
  accept(sign: string): boolean {
    const { kind, text } = this.lexer.peek();
    if (kind !== "sign" || text !== sign) return false;
    this.lexer.next();
    return true;
  }

  /** Takes a sign. @throws ExpressionError `syntax` when another token comes next */
  expect(sign: string): void {
    if (!this.accept(sign)) this.lexer.fail(`"${sign}"`);
  }

  /** Takes a keyword, if it comes next. */
  acceptWord(word: string): boolean {
    const { kind, text } = this.lexer.peek();
    if (kind !== "name" || text !== word) return false;
    this.lexer.next();
    return true;
  }

  /** Takes a keyword. @throws ExpressionError `syntax` when another token comes next */
  expectWord(word: string): void {
    if (!this.acceptWord(word)) this.lexer.fail(`"${word}"`);
  }

  /** Takes a `$name`. @throws ExpressionError `syntax` when another token comes next */
  expectVariable(): string {
    if (this.lexer.peek().kind !== "variable") this.lexer.fail('a name with "$"');
    return this.lexer.next().text;
  }

  /** The definition after `def`. */
  parseDefinition(): Definition {
    if (this.lexer.peek().kind !== "name") this.lexer.fail("a function name");
    const name = this.lexer.next().text;
    const parameters: string[] = [];
    const bound: string[] = [];
    if (this.accept("(")) {
      do {
        const { kind, text } = this.lexer.peek();
        if (kind !== "name" && kind !== "variable") this.lexer.fail("a parameter");
        if (kind === "variable") bound.push(text);
        parameters.push(text);
        this.lexer.next();
      } while (this.accept(";"));
      this.expect(")");
    }
    this.expect(":");
    const body = bound.reduceRight<JqNode>(bindParameter, this.parsePipe());
    this.expect(";");
    return { name, parameters, body };
  }

  /** A pattern of `as`. */
  parsePattern(): Pattern {
    if (++this.#depth > MAX_DEPTH) this.#failDepth();
    const pattern = this.#pattern();
    this.#depth--;
    return pattern;
  }

  #pattern(): Pattern {
    if (this.accept("[")) {
      const items = this.#listOf("]", () => this.parsePattern());
      return { kind: "list", items };
    }
    if (this.accept("{")) return { kind: "map", entries: this.#listOf("}", () => this.#patternEntry()) };
    return { kind: "name", name: this.expectVariable() };
  }

  #listOf<T>(close: string, parse: () => T): T[] {
    const items: T[] = [];
    do items.push(parse()); while (this.accept(","));
    this.expect(close);
    return items;
  }

  #patternEntry(): PatternEntry {
    const { kind, text } = this.lexer.peek();
    if (kind === "variable") {
      this.lexer.next();
      const pattern = this.accept(":") ? this.parsePattern() : undefined;
      return { key: { kind: "literal", value: text }, name: text, pattern };
    }
    const key: JqNode = kind === "name"
      ? { kind: "literal", value: this.lexer.next().text }
      : parsePrimary(this);
    this.expect(":");
    return { key, name: undefined, pattern: this.parsePattern() };
  }

  #pipe(): JqNode {
    if (this.acceptWord("def")) {
      const definition = this.parseDefinition();
      return { kind: "define", definition, body: this.parsePipe() };
    }
    const parts = [this.#parseComma()];
    while (this.accept("|")) {
      this.#chain();
      parts.push(this.#parseComma());
    }
    return parts.reduceRight((right, left) => ({ kind: "pipe", left, right }));
  }

  #parseComma(): JqNode {
    let left = this.parseAlternative();
    while (this.accept(",")) {
      this.#chain();
      left = { kind: "comma", left, right: this.parseAlternative() };
    }
    return left;
  }

  #parseAssignment(): JqNode {
    const left = this.#parseOr();
    const operator = this.#acceptOneOf(ASSIGNMENTS);
    if (operator === undefined) return left;
    const right = this.#parseOr();
    this.#refuseAnother(ASSIGNMENTS);
    return { kind: "assign", operator: operator as Assignment, left, right };
  }

  #parseOr(): JqNode {
    let left = this.#parseAnd();
    while (this.acceptWord("or")) {
      this.#chain();
      left = { kind: "or", left, right: this.#parseAnd() };
    }
    return left;
  }

  #parseAnd(): JqNode {
    let left = this.#parseComparison();
    while (this.acceptWord("and")) {
      this.#chain();
      left = { kind: "and", left, right: this.#parseComparison() };
    }
    return left;
  }

  #parseComparison(): JqNode {
    const left = this.#parseSum();
    const operator = this.#acceptOneOf(COMPARISONS);
    if (operator === undefined) return left;
    const right = this.#parseSum();
    this.#refuseAnother(COMPARISONS);
    return { kind: "operator", operator: operator as Operator, left, right };
  }

  #parseSum(): JqNode {
    return this.#parseChain(SUMS, () => this.#parseChain(PRODUCTS, () => this.parseSigned()));
  }

  #parseChain(operators: ReadonlySet<string>, parse: () => JqNode): JqNode {
    let left = parse();
    for (let sign = this.#acceptOneOf(operators); sign !== undefined; sign = this.#acceptOneOf(operators)) {
      this.#chain();
      left = { kind: "operator", operator: sign as Operator, left, right: parse() };
    }
    return left;
  }

  #parseBound(): JqNode {
    const source = this.parseTerm();
    if (!this.acceptWord("as")) return source;
    const patterns = [this.parsePattern()];
    while (this.accept("?//")) patterns.push(this.parsePattern());
    this.expect("|");
    return { kind: "bind", source, patterns, body: this.parsePipe() };
  }

  #suffix(target: JqNode): JqNode | undefined {
    const { kind, text } = this.lexer.peek();
    if (kind === "field") {
      this.lexer.next();
      return { kind: "index", target, key: { kind: "literal", value: text } };
    }
    if (kind === "sign" && text === "?//") this.lexer.split(1);
    if (this.accept("?")) return { kind: "try", body: target, handler: undefined };
    if (this.accept("[")) return this.parseBracket(target);
    if (!this.accept(".")) return undefined;
    if (this.accept("[")) return this.parseBracket(target);
    const { kind: next } = this.lexer.peek();
    if (next !== "quote" && next !== "format") this.lexer.fail('a name, a string or "["');
    return { kind: "index", target, key: parsePrimary(this) };
  }

  /** What follows `[` after a term: nothing, an index, or the ends of a slice. */
  parseBracket(target: JqNode): JqNode {
    if (this.accept("]")) return { kind: "iterate", target };
    const none: JqNode = { kind: "literal", value: null };
    const from = this.accept(":") ? undefined : this.parsePipe();
    if (from !== undefined && this.accept("]")) return { kind: "index", target, key: from };
    if (from !== undefined) this.expect(":");
    const to = from !== undefined && this.accept("]") ? undefined : this.parsePipe();
    if (to !== undefined) this.expect("]");
    return { kind: "slice", target, from: from ?? none, to: to ?? none };
  }

  #acceptOneOf(signs: ReadonlySet<string>): string | undefined {
    const { kind, text } = this.lexer.peek();
    return kind === "sign" && signs.has(text) ? this.lexer.next().text : undefined;
  }

  #refuseAnother(signs: ReadonlySet<string>): void {
    const { kind, text } = this.lexer.peek();
    if (kind === "sign" && signs.has(text)) this.lexer.fail(`brackets before a second such operator`);
  }

  /** Chains deepen the tree without nesting in the source. */
  #chain(): void {
    if (++this.#chained > MAX_TREE_DEPTH) {
      fail(
        "limit",
        `Cannot use a jq program of more than ${MAX_TREE_DEPTH} operators: "${quoted(this.#source)}"`,
      );
    }
  }

  #failDepth(): never {
    return fail(
      "limit",
      `Cannot use a jq program nested deeper than ${MAX_SOURCE_DEPTH}: "${quoted(this.#source)}"`,
    );
  }
}

/** A term whose last step alone is tried: the `?` of `.a.b?` has nothing to do with `.a`. */
function lastTried(node: JqNode): JqNode {
  const isStep = node.kind === "iterate" || node.kind === "index" && node.key.kind === "literal" ||
    node.kind === "slice" && node.from.kind === "literal" && node.to.kind === "literal";
  if (!isStep) return { kind: "try", body: node, handler: undefined };
  const step: JqNode = { kind: "try", body: { ...node, target: { kind: "identity" } }, handler: undefined };
  return { kind: "pipe", left: node.target, right: step };
}

function bindParameter(body: JqNode, name: string): JqNode {
  return { kind: "bind", source: { kind: "call", name, args: [] }, patterns: [{ kind: "name", name }], body };
}
