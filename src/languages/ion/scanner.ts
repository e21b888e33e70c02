/**
 * Walks over Ion text: space and comments, quotes and escapes, and what stands between brackets. What a value may look like
 * and what is said of a fault is decided by its readers. Grammar: https://amazon-ion.github.io/ion-docs/docs/spec.html
 */
import { type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";

/** Where readers of Ion text differ in what they take, and what they say of the rest. */
export interface IonDialect {
  /** A tab may stand in quotes as it is, and an escaped end of a line in them is none. */
  readonly isSpaceQuotable: boolean;
  /** Ends the reading: `text` has something else than `expected` at an offset. */
  readonly refuse: (expected: string, text: string, at: number) => never;
}

const SPACE = /(?:[ \t\r\n\v\f]+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;
/** The largest code of what space and comments begin with: that of a slash. */
const LAST_SPACE = 0x2f;
// deno-lint-ignore no-control-regex
const PLAIN = /[^"'\\\u0000-\u001f]+/y;
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U(00(?:0[\da-fA-F]|10)[\da-fA-F]{4})|(\r\n|[^xuU]))/y;
const LINE_END = /^\r?\n$/;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["a", "\u0007"],
  ["b", "\b"],
  ["t", "\t"],
  ["n", "\n"],
  ["f", "\f"],
  ["r", "\r"],
  ["v", "\v"],
  ["0", "\0"],
  ["?", "?"],
  ["/", "/"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
]);

/** A place in a text, which only moves on, unless it is told to {@link IonScanner.return}. */
export class IonScanner {
  readonly #text: string;
  readonly #dialect: IonDialect;
  #at = 0;

  constructor(text: string, dialect: IonDialect) {
    this.#text = text;
    this.#dialect = dialect;
  }

  /** The offset of what comes next. */
  get at(): number {
    return this.#at;
  }

  /** True behind the last character. */
  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Goes back to an offset where it was before. */
  return(at: number): void {
    this.#at = at;
  }

  /** Whether these characters come next; stays before them. */
  startsWith(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** Whether these characters come next; then goes behind them. */
  accept(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** What a sticky pattern finds here; goes behind it. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  /** Goes behind space and comments. */
  skipSpace(): void {
    // Most often there is none, and asking the pattern takes as long as reading a number.
    if (this.#text.charCodeAt(this.#at) > LAST_SPACE) return;
    this.match(SPACE);
  }

  /** Items behind an opening bracket, and its closing one. A comma may follow the last. */
  readList(readItem: () => JsonValue): JsonValue[] {
    const items: JsonValue[] = [];
    this.#readUntil("]", () => items.push(readItem()));
    return items;
  }

  /** Members behind an opening brace, and its closing one. A comma may follow the last; of two with one name the later counts. */
  readStruct(readName: () => string, readValue: () => JsonValue): JsonObject {
    const members: JsonObject = {};
    this.#readUntil("}", () => {
      const name = readName();
      this.skipSpace();
      if (!this.accept(":")) this.refuse('":"');
      setOwnProperty(members, name, readValue());
    });
    return members;
  }

  /** A text in quotes of either kind, in which the other kind needs no escape; `undefined` where no quote comes next. */
  readQuoted(): string | undefined {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return undefined;
    this.#at++;
    let text = "";
    for (;;) {
      text += this.match(PLAIN)?.[0] ?? "";
      const next = this.#text[this.#at];
      if (next === quote) {
        this.#at++;
        return text;
      }
      if (next === undefined || !this.#mayBeQuoted(next)) this.refuse(`the closing ${quote} of a text`);
      if (next === "\\") text += this.readEscape();
      else text += this.#text[this.#at++];
    }
  }

  /** What a backslash and the characters behind it stand for. */
  readEscape(): string {
    const [, two, four, eight, letter] = this.match(ESCAPE) ?? this.refuse("an escape");
    const digits = two ?? four ?? eight;
    if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
    if (letter !== undefined && LINE_END.test(letter) && this.#dialect.isSpaceQuotable) return "";
    return ESCAPES.get(letter ?? "") ?? this.refuse("an escape");
  }

  /** Ends the reading here. */
  refuse(expected: string): never {
    return this.#dialect.refuse(expected, this.#text, this.#at);
  }

  #readUntil(close: string, readOne: () => void): void {
    for (;;) {
      this.skipSpace();
      if (this.accept(close)) return;
      readOne();
      this.skipSpace();
      if (!this.accept(",") && !this.startsWith(close)) this.refuse(`"," or "${close}"`);
    }
  }

  #mayBeQuoted(character: string): boolean {
    return character >= " " || character === "\t" && this.#dialect.isSpaceQuotable;
  }
}
