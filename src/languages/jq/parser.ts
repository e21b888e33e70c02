/** jq text → tree: operators by binding strength, then terms. */
import { Double, MAX_INTEGER_DIGITS, numberOfSource } from "../../base/json.ts";
import { fail, MAX_SOURCE_DEPTH, MAX_TREE_DEPTH, type NumberValue } from "../values/mod.ts";
import type { Assignment, Definition, JqNode, Operator, Pattern, PatternEntry } from "./ast.ts";
import { Lexer, quoted } from "./lexer.ts";
import { fromFloat } from "./values.ts";

const ASSIGNMENTS: ReadonlySet<string> = new Set(["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="]);
const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);
const SUMS: ReadonlySet<string> = new Set(["+", "-"]);
const PRODUCTS: ReadonlySet<string> = new Set(["*", "/", "%"]);
/** A bracket counts as two levels: the term, and the expression inside. */
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

  /** A complete expression: definitions and pipes. */
  parsePipe(): JqNode {
    return this.#nested(() => this.#pipe());
  }

  /** An expression without pipes and commas. */
  parseAlternative(): JqNode {
    const left = this.#parseAssignment();
    if (!this.accept("//")) return left;
    return { kind: "either", left, right: this.#nested(() => this.parseAlternative()) };
  }

  /** A term with its suffixes, such as `.a[0]?`. */
  parseTerm(): JqNode {
    return this.#nested(() => {
      const primary = parsePrimary(this);
      let node = primary;
      for (let next = this.#suffix(node); next !== undefined; next = this.#suffix(node)) {
        this.#chain();
        node = next.kind === "try" && node !== primary ? lastTried(node) : next;
      }
      return node;
    });
  }

  /** A term with signs before it, and with `as` and what follows it. */
  parseSigned(): JqNode {
    let signs = 0;
    for (; this.accept("-"); signs++) this.#chain();
    let node = this.#parseBound();
    for (; signs > 0; signs--) node = { kind: "negate", body: node };
    return node;
  }

  /** Reads a sign if it comes next. */
  accept(sign: string): boolean {
    const { kind, text } = this.lexer.peek();
    if (kind !== "sign" || text !== sign) return false;
    this.lexer.next();
    return true;
  }

  /** Reads a sign. @throws ExpressionError `syntax` when another token comes next */
  expect(sign: string): void {
    if (!this.accept(sign)) this.lexer.fail(`"${sign}"`);
  }

  /** Reads a keyword if it comes next. */
  acceptWord(word: string): boolean {
    const { kind, text } = this.lexer.peek();
    if (kind !== "name" || text !== word) return false;
    this.lexer.next();
    return true;
  }

  /** Reads a keyword. @throws ExpressionError `syntax` when another token comes next */
  expectWord(word: string): void {
    if (!this.acceptWord(word)) this.lexer.fail(`"${word}"`);
  }

  /** Reads a `$name`. @throws ExpressionError `syntax` when another token comes next */
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
    return this.#nested(() => this.#pattern());
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

  /** The rest after `[` behind a term: nothing, an index, or the ends of a slice. */
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

  /** Counts an operator: chains deepen the tree without nesting in the source. */
  #chain(): void {
    if (++this.#chained > MAX_TREE_DEPTH) {
      fail(
        "limit",
        `Cannot use a jq program of more than ${MAX_TREE_DEPTH} operators: "${quoted(this.#source)}"`,
      );
    }
  }

  /** Runs a parse one level deeper. @throws ExpressionError `limit` */
  #nested<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) {
      fail(
        "limit",
        `Cannot use a jq program nested deeper than ${MAX_SOURCE_DEPTH}: "${quoted(this.#source)}"`,
      );
    }
    const parsed = parse();
    this.#depth--;
    return parsed;
  }
}

/** Applies `?` to the last step of a term only: `.a.b?` does not catch errors of `.a`. */
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

type ParseTerm = (parser: JqParser) => JqNode;

/** Words that begin a term and are no functions. */
const KEYWORDS: ReadonlyMap<string, ParseTerm> = new Map<string, ParseTerm>([
  ["if", parseIf],
  ["try", parseTry],
  ["reduce", (parser) => parseFold(parser, "reduce")],
  ["foreach", (parser) => parseFold(parser, "foreach")],
  ["label", parseLabel],
  ["def", (parser) => ({ kind: "define", definition: parser.parseDefinition(), body: parser.parsePipe() })],
  ["null", () => ({ kind: "literal", value: null })],
  ["true", () => ({ kind: "literal", value: true })],
  ["false", () => ({ kind: "literal", value: false })],
  ["break", (parser) => ({ kind: "break", name: parser.expectVariable() })],
]);

/** Words that cannot begin a term; there are no modules. */
const RESERVED: ReadonlySet<string> = new Set(
  ["then", "elif", "else", "end", "as", "catch", "and", "or", "import", "include", "__loc__"],
);

/** One term without its suffixes. */
function parsePrimary(parser: JqParser): JqNode {
  const { kind, text } = parser.lexer.peek();
  switch (kind) {
    case "number":
      parser.lexer.next();
      return { kind: "literal", value: numberLiteral(text) };
    case "quote":
      return parseText(parser, "text");
    case "format":
      parser.lexer.next();
      return parser.lexer.peek().kind === "quote"
        ? parseText(parser, text)
        : { kind: "format", format: text };
    case "field":
      parser.lexer.next();
      return { kind: "index", target: IDENTITY, key: { kind: "literal", value: text } };
    case "variable":
      return parseVariable(parser);
    case "name":
      return parseName(parser);
    default:
      return parseBracketed(parser);
  }
}

function numberLiteral(text: string): NumberValue {
  if (text.length > MAX_INTEGER_DIGITS) return fromFloat(Number(text));
  const value = numberOfSource(text);
  return value instanceof Double ? fromFloat(value.value) : value;
}

function parseVariable(parser: JqParser): JqNode {
  const { text, line } = parser.lexer.next();
  return text === "__loc__"
    ? { kind: "literal", value: { file: "<top-level>", line } }
    : { kind: "variable", name: text };
}

function parseText(parser: JqParser, format: string): JqNode {
  parser.lexer.next();
  const parts: (string | JqNode)[] = [];
  for (;;) {
    const { text, isInterpolated } = parser.lexer.readText();
    if (text !== "") parts.push(text);
    if (!isInterpolated) break;
    parts.push(parser.parsePipe());
    // Reads no token after the bracket: text follows.
    parser.expect(")");
  }
  const isPlain = parts.every((part) => typeof part === "string");
  return isPlain ? { kind: "literal", value: parts.join("") } : { kind: "text", format, parts };
}

function parseName(parser: JqParser): JqNode {
  const name = parser.lexer.peek().text;
  if (RESERVED.has(name)) parser.lexer.fail("a value");
  parser.lexer.next();
  return KEYWORDS.get(name)?.(parser) ?? { kind: "call", name, args: parseArguments(parser) };
}

function parseArguments(parser: JqParser): JqNode[] {
  const args: JqNode[] = [];
  if (!parser.accept("(")) return args;
  do args.push(parser.parsePipe()); while (parser.accept(";"));
  parser.expect(")");
  return args;
}

function parseBracketed(parser: JqParser): JqNode {
  if (parser.accept("(")) {
    const node = parser.parsePipe();
    parser.expect(")");
    return node;
  }
  if (parser.accept("[")) {
    if (parser.accept("]")) return { kind: "list", body: undefined };
    const body = parser.parsePipe();
    parser.expect("]");
    return { kind: "list", body };
  }
  if (parser.accept("{")) return { kind: "map", entries: parseEntries(parser) };
  if (parser.accept("..")) return { kind: "descend" };
  if (!parser.accept(".")) return parser.lexer.fail("a value");
  if (parser.accept("[")) return parser.parseBracket(IDENTITY);
  const { kind, text } = parser.lexer.peek();
  const isMember = kind === "quote" || kind === "format" && text !== "";
  return isMember ? { kind: "index", target: IDENTITY, key: parsePrimary(parser) } : IDENTITY;
}

function parseEntries(parser: JqParser): (readonly [JqNode, JqNode])[] {
  const entries: (readonly [JqNode, JqNode])[] = [];
  if (parser.accept("}")) return entries;
  do entries.push(parseEntry(parser)); while (parser.accept(","));
  parser.expect("}");
  return entries;
}

function parseEntry(parser: JqParser): readonly [JqNode, JqNode] {
  const { kind, text } = parser.lexer.peek();
  if (kind === "variable") return [{ kind: "literal", value: text }, parseVariable(parser)];
  const isPlain = kind === "name" || kind === "number";
  const isMember = isPlain || kind === "quote" || kind === "format";
  const key: JqNode = isPlain ? { kind: "literal", value: parser.lexer.next().text } : parsePrimary(parser);
  if (parser.accept(":")) return [key, parseMember(parser)];
  if (!isMember) parser.lexer.fail('":"');
  return [key, { kind: "index", target: IDENTITY, key }];
}

/** The value of a member: may contain pipes, but no comma. */
function parseMember(parser: JqParser): JqNode {
  const parts = [parser.parseAlternative()];
  while (parser.accept("|")) parts.push(parser.parseAlternative());
  return parts.reduceRight((right, left) => ({ kind: "pipe", left, right }));
}

function parseIf(parser: JqParser): JqNode {
  const condition = parser.parsePipe();
  parser.expectWord("then");
  const then = parser.parsePipe();
  if (parser.acceptWord("elif")) return { kind: "if", condition, then, otherwise: parseIf(parser) };
  const otherwise = parser.acceptWord("else") ? parser.parsePipe() : IDENTITY;
  parser.expectWord("end");
  return { kind: "if", condition, then, otherwise };
}

function parseTry(parser: JqParser): JqNode {
  const body = parser.parseSigned();
  const handler = parser.acceptWord("catch") ? parser.parseSigned() : undefined;
  return { kind: "try", body, handler };
}

function parseFold(parser: JqParser, kind: "reduce" | "foreach"): JqNode {
  const source = parser.parseTerm();
  parser.expectWord("as");
  const pattern = parser.parsePattern();
  parser.expect("(");
  const start = parser.parsePipe();
  parser.expect(";");
  const update = parser.parsePipe();
  const extract = kind === "foreach" && parser.accept(";") ? parser.parsePipe() : undefined;
  parser.expect(")");
  return { kind, source, pattern, start, update, extract };
}

function parseLabel(parser: JqParser): JqNode {
  const name = parser.expectVariable();
  parser.expect("|");
  return { kind: "label", name, body: parser.parsePipe() };
}
