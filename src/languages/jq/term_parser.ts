/** The terms of jq: literals, texts, lists, maps, names, and what begins with a keyword. */
import { Double, numberOfSource } from "../../base/json.ts";
import type { NumberValue } from "../values/mod.ts";
import type { Definition, JqNode, Pattern } from "./ast.ts";
import type { Lexer } from "./lexer.ts";
import { fromFloat } from "./values.ts";

/** What terms need of the parser. */
interface TermParser {
  /** The tokens. */
  readonly lexer: Lexer;
  /** A whole expression. */
  parsePipe(): JqNode;
  /** An expression without pipes and commas. */
  parseAlternative(): JqNode;
  /** A term with signs before it. */
  parseSigned(): JqNode;
  /** A term with its suffixes. */
  parseTerm(): JqNode;
  /** A pattern of `as`. */
  parsePattern(): Pattern;
  /** What follows `[` after a term. */
  parseBracket(target: JqNode): JqNode;
  /** A definition after `def`. */
  parseDefinition(): Definition;
  /** Takes a sign, if it comes next. */
  accept(sign: string): boolean;
  /** Takes a sign. @throws ExpressionError `syntax` */
  expect(sign: string): void;
  /** Takes a keyword, if it comes next. */
  acceptWord(word: string): boolean;
  /** Takes a keyword. @throws ExpressionError `syntax` */
  expectWord(word: string): void;
  /** Takes a `$name`. @throws ExpressionError `syntax` */
  expectVariable(): string;
}

type ParseTerm = (parser: TermParser) => JqNode;

const IDENTITY: JqNode = { kind: "identity" };

/** What a word begins, where it is no function. */
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

/** Words that no term begins with, and modules, which there are none of. */
const RESERVED: ReadonlySet<string> = new Set(
  ["then", "elif", "else", "end", "as", "catch", "and", "or", "import", "include", "__loc__"],
);

/** One term without its suffixes. @throws ExpressionError `syntax`, `limit` */
export function parsePrimary(parser: TermParser): JqNode {
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
  const value = numberOfSource(text);
  return value instanceof Double ? fromFloat(value.value) : value;
}

function parseVariable(parser: TermParser): JqNode {
  const { text, line } = parser.lexer.next();
  return text === "__loc__"
    ? { kind: "literal", value: { file: "<top-level>", line } }
    : { kind: "variable", name: text };
}

function parseText(parser: TermParser, format: string): JqNode {
  parser.lexer.next();
  const parts: (string | JqNode)[] = [];
  for (;;) {
    const { text, isInterpolated } = parser.lexer.readText();
    if (text !== "") parts.push(text);
    if (!isInterpolated) break;
    parts.push(parser.parsePipe());
    // The closing bracket must be the last token taken: what follows it is text again.
    parser.expect(")");
  }
  const isPlain = parts.every((part) => typeof part === "string");
  return isPlain ? { kind: "literal", value: parts.join("") } : { kind: "text", format, parts };
}

function parseName(parser: TermParser): JqNode {
  const name = parser.lexer.peek().text;
  if (RESERVED.has(name)) parser.lexer.fail("a value");
  parser.lexer.next();
  return KEYWORDS.get(name)?.(parser) ?? { kind: "call", name, args: parseArguments(parser) };
}

function parseArguments(parser: TermParser): JqNode[] {
  const args: JqNode[] = [];
  if (!parser.accept("(")) return args;
  do args.push(parser.parsePipe()); while (parser.accept(";"));
  parser.expect(")");
  return args;
}

function parseBracketed(parser: TermParser): JqNode {
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

function parseEntries(parser: TermParser): (readonly [JqNode, JqNode])[] {
  const entries: (readonly [JqNode, JqNode])[] = [];
  if (parser.accept("}")) return entries;
  do entries.push(parseEntry(parser)); while (parser.accept(","));
  parser.expect("}");
  return entries;
}

function parseEntry(parser: TermParser): readonly [JqNode, JqNode] {
  const { kind, text } = parser.lexer.peek();
  if (kind === "variable") return [{ kind: "literal", value: text }, parseVariable(parser)];
  const isPlain = kind === "name" || kind === "number";
  const isMember = isPlain || kind === "quote" || kind === "format";
  const key: JqNode = isPlain ? { kind: "literal", value: parser.lexer.next().text } : parsePrimary(parser);
  if (parser.accept(":")) return [key, parseMember(parser)];
  if (!isMember) parser.lexer.fail('":"');
  return [key, { kind: "index", target: IDENTITY, key }];
}

/** The value of a member: no comma, but pipes. */
function parseMember(parser: TermParser): JqNode {
  const parts = [parser.parseAlternative()];
  while (parser.accept("|")) parts.push(parser.parseAlternative());
  return parts.reduceRight((right, left) => ({ kind: "pipe", left, right }));
}

function parseIf(parser: TermParser): JqNode {
  const condition = parser.parsePipe();
  parser.expectWord("then");
  const then = parser.parsePipe();
  if (parser.acceptWord("elif")) return { kind: "if", condition, then, otherwise: parseIf(parser) };
  const otherwise = parser.acceptWord("else") ? parser.parsePipe() : IDENTITY;
  parser.expectWord("end");
  return { kind: "if", condition, then, otherwise };
}

function parseTry(parser: TermParser): JqNode {
  const body = parser.parseSigned();
  const handler = parser.acceptWord("catch") ? parser.parseSigned() : undefined;
  return { kind: "try", body, handler };
}

function parseFold(parser: TermParser, kind: "reduce" | "foreach"): JqNode {
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

function parseLabel(parser: TermParser): JqNode {
  const name = parser.expectVariable();
  parser.expect("|");
  return { kind: "label", name, body: parser.parsePipe() };
}
