/** Which parts of a line of YAML have a colour. It is a look at the text, not a parser: mistakes are found by the server. */

/** What a part is: the name of a key, a number or other word with a meaning, a sign, an anchor, alias, tag or directive. */
export type YamlTone = "key" | "atom" | "comment" | "sign" | "meta";

/** A part of a line with a colour. */
export interface YamlToken {
  readonly from: number;
  readonly to: number;
  readonly tone: YamlTone;
}

/** What the lines before say about a line. */
export interface LineState {
  /** Lines that are indented further belong to a text; -1 outside of such a text. */
  readonly blockIndent: number;
  /** The quote of a text that the line before has not closed. */
  readonly quote: string;
  /** Open brackets. */
  readonly depth: number;
}

/** The state of the first line. */
export const FIRST_LINE: LineState = { blockIndent: -1, quote: "", depth: 0 };

/** The rest of a longer line has no colours. */
const MAX_LENGTH = 2000;
const SPACE = /\s+/y;
const DIRECTIVE = /(?:---|\.\.\.)(?=\s|$)|%.*/y;
const COMMENT = /#.*/y;
const TEMPLATE = /\{\{.*?\}\}|\{%.*?%\}/y;
const DASH = /-(?=\s|$)/y;
const REFERENCE = /[&*!][^\s,[\]{}]*/y;
const BLOCK = /[|>][-+\d]*(?=\s*(?:#.*)?$)/y;
const SIGN = /[[\]{},?:]/y;
const PLAIN = /(?:[^\s:#]|:(?=\S)|(?<=\S)#|\s+(?![\s#]))+/y;
const PLAIN_IN_BRACKETS = /(?:[^\s:#,[\]{}]|:(?=[^\s,[\]{}])|(?<=\S)#|\s+(?![\s#,[\]{}]))+/y;
const COLON = /\s*:(?=[\s,[\]{}]|$)/y;
const ATOM = /^(?:true|false|null|~|[-+]?(?:\d[\d_]*)?\.?\d+(?:e[-+]?\d+)?|0x[\da-f]+)$/i;
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /(?:[^"\\]|\\.)*("|\\?$)/y,
  "'": /(?:[^']|'')*('|$)/y,
};

/** The coloured parts of a line in their order, and the state of the next line. */
export function yamlTokens(line: string, state: LineState): { tokens: YamlToken[]; next: LineState } {
  const isInBlock = state.blockIndent >= 0 && (line.trim() === "" || line.search(/\S/) > state.blockIndent);
  if (isInBlock || line.length > MAX_LENGTH) return { tokens: [], next: isInBlock ? state : FIRST_LINE };
  const reader = new LineReader(line, state);
  reader.read();
  return { tokens: reader.tokens, next: reader.next };
}

class LineReader {
  readonly tokens: YamlToken[] = [];
  readonly #line: string;
  #at = 0;
  #quote: string;
  #depth: number;
  #blockIndent = -1;
  /** The column of the last key or dash. */
  #column = 0;

  constructor(line: string, { quote, depth }: LineState) {
    this.#line = line;
    this.#quote = quote;
    this.#depth = depth;
  }

  get next(): LineState {
    return { blockIndent: this.#blockIndent, quote: this.#quote, depth: this.#depth };
  }

  read(): void {
    if (this.#quote !== "") this.#readQuoted(0);
    else if (this.#depth === 0) this.#take(DIRECTIVE, "meta");
    while (this.#at < this.#line.length) this.#readNext();
  }

  #readNext(): void {
    const start = this.#at;
    if (this.#take(SPACE) !== undefined || this.#take(COMMENT, "comment") !== undefined) return;
    if (this.#take(TEMPLATE) !== undefined || this.#take(REFERENCE, "meta") !== undefined) return;
    if (this.#take(DASH, "sign") !== undefined) return void (this.#column = start);
    if (this.#take(BLOCK, "sign") !== undefined) return void (this.#blockIndent = this.#column);
    const first = this.#line[start] ?? "";
    if (first in QUOTED) {
      this.#quote = first;
      this.#at++;
      return this.#readQuoted(start);
    }
    const sign = this.#take(SIGN, "sign");
    if (sign !== undefined) return this.#count(sign);
    const text = this.#take(this.#depth > 0 ? PLAIN_IN_BRACKETS : PLAIN);
    // What no rule knows has no colour.
    if (text === undefined) return void this.#at++;
    if (this.#readColon(start)) return;
    if (ATOM.test(text)) this.tokens.push({ from: start, to: this.#at, tone: "atom" });
  }

  #readQuoted(start: number): void {
    const text = this.#take(QUOTED[this.#quote] ?? SPACE) ?? "";
    if (!text.endsWith(this.#quote)) return;
    this.#quote = "";
    this.#readColon(start);
  }

  /** What ends here is a key if a colon follows. */
  #readColon(start: number): boolean {
    const end = this.#at;
    if (this.#take(COLON) === undefined) return false;
    this.tokens.push({ from: start, to: end, tone: "key" }, {
      from: this.#at - 1,
      to: this.#at,
      tone: "sign",
    });
    this.#column = start;
    return true;
  }

  #count(sign: string): void {
    if (sign === "[" || sign === "{") this.#depth++;
    else if (sign === "]" || sign === "}") this.#depth = Math.max(0, this.#depth - 1);
  }

  #take(pattern: RegExp, tone?: YamlTone): string | undefined {
    pattern.lastIndex = this.#at;
    const [text] = pattern.exec(this.#line) ?? [];
    if (text === undefined || text === "") return undefined;
    if (tone) this.tokens.push({ from: this.#at, to: this.#at + text.length, tone });
    this.#at += text.length;
    return text;
  }
}
