/** jq text → tokens, one at a time; after a quote, {@link Lexer.readText} reads the text. */
import { fail } from "../values/mod.ts";

/** Kind of a token; punctuation and operators are of kind `sign`. */
type TokenKind = "sign" | "name" | "field" | "variable" | "format" | "number" | "quote" | "end";

/** A token; `text` is without the leading `.`, `$` or `@`. */
interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  /** From 1. */
  readonly line: number;
}

const SPACE = /(?:\s+|#[^\n]*)*/y;
const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ["number", /((?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y],
  ["field", /\.([A-Za-z_]\w*)/y],
  ["variable", /\$([A-Za-z_]\w*(?:::\w+)*)/y],
  ["format", /@([A-Za-z0-9_]+)/y],
  ["name", /([A-Za-z_]\w*(?:::\w+)*)/y],
  ["quote", /(")/y],
  ["sign", /(\?\/\/(?!=)|\/\/=|\|=|\+=|-=|\*=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[.|,:;=<>+\-*/%?()[\]{}])/y],
];
const PLAIN = /[^"\\]+/y;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Reads one program. */
export class Lexer {
  readonly #source: string;
  #at = 0;
  #line = 1;
  #peeked: Token | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** The next token, without reading it. @throws ExpressionError `syntax` */
  peek(): Token {
    return this.#peeked ??= this.#read();
  }

  /** Reads the next token. @throws ExpressionError `syntax` */
  next(): Token {
    const token = this.peek();
    this.#peeked = undefined;
    return token;
  }

  /** Splits the next sign: `?//` is `?` and `//` where no pattern can follow. */
  split(length: number): void {
    const token = this.peek();
    this.#at = token.start + length;
    this.#peeked = { ...token, text: token.text.slice(0, length) };
  }

  /** Reads text up to a closing quote or an opening `\(`. Call it directly after a quote was read. */
  readText(): { readonly text: string; readonly isInterpolated: boolean } {
    let text = "";
    for (;;) {
      text += this.#match(PLAIN)?.[0] ?? "";
      const next = this.#source[this.#at];
      if (next === undefined) this.fail("a closing quote");
      if (next === '"' || this.#source[this.#at + 1] === "(") {
        this.#at += next === '"' ? 1 : 2;
        return { text, isInterpolated: next !== '"' };
      }
      const [, code, letter = ""] = this.#match(ESCAPE) ?? this.fail("an escape");
      text += code === undefined
        ? ESCAPES.get(letter) ?? letter
        : String.fromCharCode(Number.parseInt(code, 16));
    }
  }

  /** Refuses the program. @throws ExpressionError `syntax` always */
  fail(expected: string): never {
    const start = this.#peeked?.start ?? this.#at;
    const found = start < this.#source.length ? `"${this.#source.slice(start, start + 20)}"` : "the end";
    return fail(
      "syntax",
      `Cannot read the jq program "${quoted(this.#source)}": expected ${expected}, found ${found}`,
    );
  }

  #read(): Token {
    const space = this.#match(SPACE)?.[0] ?? "";
    this.#line += space.split("\n").length - 1;
    const start = this.#at, line = this.#line;
    if (start >= this.#source.length) return { kind: "end", text: "", start, line };
    for (const [kind, pattern] of PATTERNS) {
      const text = this.#match(pattern)?.[1];
      if (text !== undefined) return { kind, text, start, line };
    }
    return this.fail("an operator or a value");
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}

/** The beginning of a program, for errors. */
export function quoted(source: string): string {
  return source.length <= 100 ? source : `${source.slice(0, 100)}…`;
}
