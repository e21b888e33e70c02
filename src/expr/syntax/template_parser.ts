/** Tokens → template tree. A new tag is one entry of TAGS. */
import type { FilterCall, Macro, Statement, TemplateTree } from "./ast.ts";
import { ExpressionParser } from "./expression_parser.ts";
import { tokenize } from "./lexer.ts";
import { MAX_SOURCE_DEPTH } from "../../languages/values/mod.ts";
import { TokenStream } from "./token_stream.ts";

/** Parses a source. @throws ExpressionError `syntax`, `limit` */
export function parseTemplate(source: string): TemplateTree {
  return new TemplateParser(source).parse();
}

type Tag = (parser: TemplateParser) => Statement | undefined;

const TAGS: ReadonlyMap<string, Tag> = new Map<string, Tag>([
  ["if", (parser) => parser.parseIf()],
  ["for", (parser) => parser.parseFor()],
  ["set", (parser) => parser.parseSet()],
  ["macro", (parser) => parser.parseMacro()],
  ["filter", (parser) => parser.parseFilter()],
  ["block", (parser) => parser.parseBlock()],
]);

class TemplateParser {
  readonly #stream: TokenStream;
  readonly #expressions: ExpressionParser;
  readonly #macros = new Map<string, Macro>();
  readonly #blocks = new Map<string, readonly Statement[]>();
  readonly #spans: number[] = [];
  #nesting = 0;

  constructor(source: string) {
    this.#stream = new TokenStream(source, tokenize(source));
    this.#expressions = new ExpressionParser(this.#stream);
  }

  parse(): TemplateTree {
    const body = this.#body([]);
    return { body, macros: this.#macros, blocks: this.#blocks, spans: this.#spans };
  }

  /** Statements up to a tag in `ends`, whose name is not read; without `ends`, up to the end. */
  #body(ends: readonly string[]): Statement[] {
    if (++this.#nesting > MAX_SOURCE_DEPTH) {
      this.#stream.fail("Cannot nest tags any deeper", undefined, "limit");
    }
    const statements: Statement[] = [];
    while (!this.#isAtEnd(ends)) {
      const statement = this.#statement();
      if (statement) statements.push(statement);
    }
    this.#nesting--;
    return statements;
  }

  #isAtEnd(ends: readonly string[]): boolean {
    const { current, following } = this.#stream;
    if (current.type === "end") {
      if (ends.length > 0) this.#stream.fail(`Expected the tag "${ends.at(-1)}"`);
      return true;
    }
    if (current.type !== "tagOpen" || following.type !== "name" || !ends.includes(following.text)) {
      return false;
    }
    this.#spans.push(current.offset);
    this.#stream.next();
    return true;
  }

  #statement(): Statement | undefined {
    const token = this.#stream.next();
    if (token.type === "text" || token.type === "raw") return { kind: token.type, text: token.text };
    this.#spans.push(token.offset);
    if (token.type === "printOpen") {
      const value = this.#expressions.parse();
      this.#spans.push(this.#stream.expect("printClose").end);
      return { kind: "print", value };
    }
    const name = this.#stream.expect("name");
    const tag = TAGS.get(name.text);
    if (!tag) this.#stream.fail("Expected a known tag", name);
    return tag(this);
  }

  #closeTag(): void {
    this.#spans.push(this.#stream.expect("tagClose").end);
  }

  /** Reads the name and the end of a closing tag. */
  #endTag(): void {
    this.#stream.expect("name");
    this.#closeTag();
  }

  parseIf(): Statement {
    const branches = [];
    let otherwise: Statement[] = [];
    let word = "if";
    while (word === "if" || word === "elseif") {
      const test = this.#expressions.parse();
      this.#closeTag();
      branches.push({ test, body: this.#body(["elseif", "else", "endif"]) });
      word = this.#stream.next().text;
    }
    if (word === "else") {
      this.#closeTag();
      otherwise = this.#body(["endif"]);
      this.#stream.next();
    }
    this.#closeTag();
    return { kind: "if", branches, otherwise };
  }

  parseFor(): Statement {
    const name = this.#stream.expect("name").text;
    this.#stream.expect("name", "in");
    const sequence = this.#expressions.parse();
    this.#closeTag();
    const body = this.#body(["else", "endfor"]);
    let otherwise: Statement[] = [];
    if (this.#stream.isAt("name", "else")) {
      this.#endTag();
      otherwise = this.#body(["endfor"]);
    }
    this.#endTag();
    return { kind: "for", name, sequence, body, otherwise };
  }

  parseSet(): Statement {
    const name = this.#stream.expect("name").text;
    this.#stream.expect("punctuation", "=");
    const value = this.#expressions.parse();
    this.#closeTag();
    return { kind: "set", name, value };
  }

  parseMacro(): undefined {
    const token = this.#stream.expect("name");
    const name = token.text;
    if (this.#macros.has(name)) this.#stream.fail("Expected each macro once", token);
    const parameters: Macro["parameters"][number][] = [];
    this.#stream.expect("punctuation", "(");
    while (!this.#stream.accept(")")) {
      if (parameters.length > 0) this.#stream.expect("punctuation", ",");
      const parameter = this.#stream.expect("name").text;
      const fallback = this.#stream.accept("=") ? this.#expressions.parse() : undefined;
      parameters.push({ name: parameter, fallback });
    }
    this.#closeTag();
    const body = this.#body(["endmacro"]);
    this.#stream.next();
    if (this.#stream.isAt("name", name)) this.#stream.next();
    this.#closeTag();
    this.#macros.set(name, { name, parameters, body });
  }

  parseFilter(): Statement {
    const filters: FilterCall[] = [];
    do filters.push(this.#expressions.parseFilterCall()); while (this.#stream.accept("|"));
    this.#closeTag();
    const body = this.#body(["endfilter"]);
    this.#endTag();
    return { kind: "filter", filters, body };
  }

  parseBlock(): Statement {
    const token = this.#stream.isAt("string") ? this.#stream.next() : this.#stream.expect("name");
    this.#closeTag();
    const body = this.#body(["endblock"]);
    this.#stream.next();
    if (this.#stream.isAt("string", token.text) || this.#stream.isAt("name", token.text)) this.#stream.next();
    this.#closeTag();
    this.#blocks.set(token.text, body);
    return { kind: "block", name: token.text, body };
  }
}
