/** Source text → tokens: delimiters, whitespace trimming, literal bodies (`raw`, `verbatim`), forms of strings. */
import {
  ExpressionError,
  MAX_SOURCE_DEPTH,
  MAX_TEMPLATE_LENGTH,
  MAX_TEMPLATE_TOKENS,
} from "../../languages/values/mod.ts";

/** Type of a token; `text` and `raw` are output, the others belong to a print or a tag. */
export type TokenType =
  | "text"
  | "raw"
  | "printOpen"
  | "printClose"
  | "tagOpen"
  | "tagClose"
  | "name"
  | "operator"
  | "punctuation"
  | "number"
  | "string"
  | "interpolated"
  | "end";

/** A token. `text` is its value (a string without its quotes), `parts` those of an interpolated string. */
export interface Token {
  readonly type: TokenType;
  readonly text: string;
  readonly offset: number;
  readonly end: number;
  readonly parts?: readonly (string | readonly Token[])[];
}

const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy;
const NUMBER = /\d+(?:\.\d+|L(?![\p{L}\p{Nd}_]))?/uy;
const OPERATOR = /\?\?\??|\.\.|==|!=|<=|>=|[<>+\-*/%|~]/y;
const PUNCTUATION = "?:,.()[]{}=";
const SPACE = /\s*/y;
/** Codes in {@link KINDS}: 1 white space, 2 a letter or `_`, 3 a digit, 0 any other ASCII character. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /\s/.test(character) ? 1 : /[A-Za-z_]/.test(character) ? 2 : /\d/.test(character) ? 3 : 0;
});
const LITERAL_TAG = /\{%-?\s*(raw|verbatim)\s*(-?)%\}/y;
const DASH = "-".charCodeAt(0);
const WORD_OPERATORS = new Set(["and", "or", "not", "is", "contains", "equals", "isIn"]);
const CLOSERS = new Map([["(", ")"], ["[", "]"], ["{", "}"]]);

/** The tokens of a template, the last of type `end`. @throws ExpressionError `syntax`, `limit` */
export function tokenize(source: string): Token[] {
  if (source.length > MAX_TEMPLATE_LENGTH) {
    const reason =
      `Cannot compile the template: it has ${source.length} characters, at most ${MAX_TEMPLATE_LENGTH}`;
    throw new ExpressionError("limit", reason, { source, offset: 0 });
  }
  return new Lexer(source).run();
}

class Lexer {
  readonly #source: string;
  #tokens: Token[] = [];
  #at = 0;
  #trimNext = false;
  #depth = 0;
  /** Those in interpolated strings included. */
  #count = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): Token[] {
    while (this.#at < this.#source.length) {
      const open = this.#findOpening();
      this.#pushText(this.#at, open);
      this.#at = open;
      if (open < this.#source.length) this.#delimited();
    }
    this.#push("end", "", this.#at);
    return this.#tokens;
  }

  #findOpening(): number {
    for (let at = this.#source.indexOf("{", this.#at); at >= 0; at = this.#source.indexOf("{", at + 1)) {
      const next = this.#source[at + 1];
      if (next === "{" || next === "%" || next === "#") return at;
    }
    return this.#source.length;
  }

  #pushText(start: number, end: number): void {
    let text = this.#source.slice(start, end);
    if (this.#trimNext) text = text.trimStart();
    if (end < this.#source.length && this.#source[end + 2] === "-" && !this.#isRaw(end)) {
      text = text.trimEnd();
    }
    this.#trimNext = false;
    if (text !== "") this.#add({ type: "text", text, offset: start, end });
  }

  /** Whether a `raw` tag begins there: white space around and in it is kept. */
  #isRaw(offset: number): boolean {
    LITERAL_TAG.lastIndex = offset;
    return LITERAL_TAG.exec(this.#source)?.[1] === "raw";
  }

  #delimited(): void {
    const start = this.#at;
    const kind = this.#source[start + 1];
    if (kind === "#") return this.#comment();
    const literal = kind === "%" ? this.#match(LITERAL_TAG) : null;
    if (literal) return this.#literalBody(literal);
    this.#at += this.#source[start + 2] === "-" ? 3 : 2;
    const isPrint = kind === "{";
    this.#push(isPrint ? "printOpen" : "tagOpen", "", start);
    this.#expression(isPrint ? "}}" : "%}");
    const from = this.#at;
    this.#trimNext = this.#source[from] === "-";
    this.#at += this.#trimNext ? 3 : 2;
    this.#push(isPrint ? "printClose" : "tagClose", "", from);
  }

  #comment(): void {
    const end = this.#source.indexOf("#}", this.#at + 2);
    if (end < 0) this.#fail("Cannot find the end of a comment", this.#at);
    this.#trimNext = this.#source[end - 1] === "-" && end - 1 > this.#at + 1;
    this.#at = end + 2;
  }

  #literalBody(opening: RegExpExecArray): void {
    const start = this.#at, bodyStart = start + opening[0].length;
    const closing = new RegExp(`\\{%(-?)\\s*end${opening[1]}\\s*(-?)%\\}`, "g");
    closing.lastIndex = bodyStart;
    const close = closing.exec(this.#source);
    if (!close) this.#fail(`Cannot find the end of the tag "${opening[1]}"`, start);
    let body = this.#source.slice(bodyStart, close.index);
    this.#at = close.index + close[0].length;
    if (opening[1] === "raw") return this.#push("raw", body, start);
    if (opening[2]) body = body.trimStart();
    if (close[1]) body = body.trimEnd();
    this.#trimNext = close[2] === "-";
    this.#push("text", body, start);
  }

  /** Tokens up to the closing delimiter, which the caller reads. */
  #expression(close: string): void {
    const brackets: string[] = [];
    if (++this.#depth > MAX_SOURCE_DEPTH) this.#fail("Cannot nest strings any deeper", this.#at, "limit");
    while (true) {
      this.#skipSpace();
      if (this.#at >= this.#source.length) this.#fail(`Cannot find the closing "${close}"`, this.#at);
      if (brackets.length === 0 && this.#isAtClose(close)) break;
      this.#token(brackets);
    }
    this.#depth--;
  }

  #skipSpace(): void {
    const source = this.#source;
    let at = this.#at, code = source.charCodeAt(at);
    while (code < 128 && KINDS[code] === 1) code = source.charCodeAt(++at);
    this.#at = at;
    if (code >= 128) this.#match(SPACE, true);
  }

  #isAtClose(close: string): boolean {
    const code = this.#source.charCodeAt(this.#at);
    if (code === close.charCodeAt(0)) return this.#source.startsWith(close, this.#at);
    return code === DASH && close !== "}" && this.#source.startsWith(close, this.#at + 1);
  }

  #token(brackets: string[]): void {
    const start = this.#at;
    const code = this.#source.charCodeAt(start);
    const kind = code < 128 ? KINDS[code] : undefined;
    if (kind === 2 || kind === undefined) {
      const name = this.#name();
      if (name !== "") return this.#push(WORD_OPERATORS.has(name) ? "operator" : "name", name, start);
    }
    const character = this.#source[start] as string;
    if (character === "'" || character === '"') return this.#string(character);
    const number = kind === 3 ? this.#match(NUMBER, true) : null;
    if (number) return this.#push("number", number[0], start);
    const operator = this.#match(OPERATOR, true);
    if (operator) return this.#push("operator", operator[0], start);
    if (!PUNCTUATION.includes(character)) this.#fail(`Unexpected character "${character}"`, start);
    this.#at++;
    this.#bracket(character, brackets);
    this.#push("punctuation", character, start);
  }

  /** Reads a name; empty when none comes next. */
  #name(): string {
    const source = this.#source;
    const start = this.#at;
    let at = start, code = source.charCodeAt(at);
    while (code < 128 && (KINDS[code] as number) >= 2) code = source.charCodeAt(++at);
    if (!(code >= 128)) {
      this.#at = at;
      return source.slice(start, at);
    }
    return this.#match(NAME, true)?.[0] ?? "";
  }

  #bracket(character: string, brackets: string[]): void {
    const closer = CLOSERS.get(character);
    if (closer) brackets.push(closer);
    const isCloser = character === ")" || character === "]" || character === "}";
    if (isCloser && brackets.pop() !== character) this.#fail(`Unexpected "${character}"`, this.#at - 1);
  }

  #string(quote: string): void {
    const source = this.#source, start = this.#at;
    const parts: (string | readonly Token[])[] = [];
    let text = "", from = start + 1;
    const flush = () => text += source.slice(from, this.#at);
    for (this.#at++; source[this.#at] !== quote; this.#at++) {
      const character = source[this.#at];
      if (character === undefined) this.#fail("Cannot find the end of a string", start);
      if (character === "\\") {
        // A pair with the next character; only the own quote loses its backslash.
        if (source[this.#at + 1] === quote) {
          flush();
          from = this.#at + 1;
        }
        this.#at++;
      } else if (quote === '"' && character === "#" && source[this.#at + 1] === "{") {
        parts.push(flush(), this.#interpolation());
        text = "";
        from = this.#at--;
      }
    }
    flush();
    this.#at++;
    const type = parts.length ? "interpolated" : "string";
    this.#add({ type, text, offset: start, end: this.#at, parts: [...parts, text] });
  }

  #interpolation(): Token[] {
    const outer = this.#tokens;
    this.#tokens = [];
    this.#at += 2;
    this.#expression("}");
    this.#push("end", "}", this.#at);
    this.#at++;
    const inner = this.#tokens;
    this.#tokens = outer;
    return inner;
  }

  #push(type: TokenType, text: string, offset: number): void {
    this.#add({ type, text, offset, end: this.#at });
  }

  #add(token: Token): void {
    if (++this.#count > MAX_TEMPLATE_TOKENS) {
      const reason = `Cannot compile the template: it has more than ${MAX_TEMPLATE_TOKENS} tokens`;
      this.#fail(reason, token.offset, "limit");
    }
    this.#tokens.push(token);
  }

  #match(pattern: RegExp, isConsumed = false): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match && isConsumed) this.#at += match[0].length;
    return match;
  }

  #fail(reason: string, offset: number, code: "syntax" | "limit" = "syntax"): never {
    throw new ExpressionError(code, reason, { source: this.#source, offset });
  }
}
