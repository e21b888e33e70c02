/** A cursor over tokens, and the texts of syntax errors. */
import { ExpressionError, type ExpressionErrorCode } from "../../languages/values/mod.ts";
import type { Token, TokenType } from "./lexer.ts";

/** Reads tokens one by one; stays at the last one, of type `end`. */
export class TokenStream {
  readonly source: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = tokens;
  }

  /** The next token. */
  get current(): Token {
    return this.#tokens[this.#at] as Token;
  }

  /** The token after the next one. */
  get following(): Token {
    return this.#tokens[Math.min(this.#at + 1, this.#tokens.length - 1)] as Token;
  }

  /** Offset at which the last read token ends. */
  get lastEnd(): number {
    return this.#at === 0 ? 0 : (this.#tokens[this.#at - 1] as Token).end;
  }

  /** Reads a token. */
  next(): Token {
    const token = this.current;
    if (token.type !== "end") this.#at++;
    return token;
  }

  /** True when the next token has that type and text. */
  isAt(type: TokenType, text?: string): boolean {
    const token = this.current;
    return token.type === type && (text === undefined || token.text === text);
  }

  /** Reads the next token if it is that punctuation or operator; returns whether it did. */
  accept(text: string): boolean {
    const { type } = this.current;
    const isFound = (type === "punctuation" || type === "operator") && this.current.text === text;
    if (isFound) this.#at++;
    return isFound;
  }

  /** Reads a token of that type. @throws ExpressionError `syntax` for any other */
  expect(type: TokenType, text?: string): Token {
    if (!this.isAt(type, text)) this.fail(`Expected ${text ? `"${text}"` : TYPE_NAMES[type]}`);
    return this.next();
  }

  /** Refuses the next token. @throws ExpressionError always */
  fail(reason: string, token = this.current, code: ExpressionErrorCode = "syntax"): never {
    const found = token.type === "end" ? "the end" : token.text ? `"${token.text}"` : TYPE_NAMES[token.type];
    const message = code === "syntax" ? `${reason}, found ${found}` : reason;
    throw new ExpressionError(code, message, { source: this.source, offset: token.offset });
  }
}

const TYPE_NAMES: Readonly<Record<TokenType, string>> = {
  text: "text",
  raw: "text",
  printOpen: '"{{"',
  printClose: '"}}"',
  tagOpen: '"{%"',
  tagClose: '"%}"',
  name: "a name",
  operator: "an operator",
  punctuation: "punctuation",
  number: "a number",
  string: "a string",
  interpolated: "a string",
  end: "the end",
};
