/**
 * Lexical part of Ion text: space and comments, quotes and escapes, separators between brackets. Knows no values.
 * https://amazon-ion.github.io/ion-docs/docs/spec.html
 */
import { type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { IonError } from "./error.ts";

interface ScannerOptions {
  /** Quoted texts may contain tabs, and escaped line ends, which are dropped. */
  readonly isSpaceQuotable: boolean;
}

const SPACE = /(?:[ \t\r\n\v\f]+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;
/** As {@link SPACE}, where the rest of the text ends no comment. */
const SPACE_TO_END = /(?:[ \t\r\n\v\f]+|\/\/[^\r\n]*)*/y;
/** The largest character code that can begin space or a comment: `/`. */
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

/** A position in a text. It moves forward only, except by {@link IonScanner.rewind}. */
export class IonScanner {
  readonly #text: string;
  readonly #isSpaceQuotable: boolean;
  #space = SPACE;
  #at = 0;

  constructor(text: string, { isSpaceQuotable }: ScannerOptions) {
    this.#text = text;
    this.#isSpaceQuotable = isSpaceQuotable;
  }

  /** Offset of the next character. */
  get at(): number {
    return this.#at;
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.#text.charAt(this.#at);
  }

  /** True after the last character. */
  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Returns to an earlier offset. */
  rewind(at: number): void {
    this.#at = at;
  }

  /** Whether these characters come next; does not move. */
  startsWith(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** Whether these characters come next; if so, moves after them. */
  accept(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** The match of a sticky pattern here; moves after it. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  /** Skips space and comments. */
  skipSpace(): void {
    // Most values have no space before them, and the pattern takes as long as reading a number.
    if (this.#text.charCodeAt(this.#at) > LAST_SPACE) return;
    this.match(this.#space);
    // The rest has no end of a comment: it is not searched again at each later beginning of one.
    if (this.startsWith("/*")) this.#space = SPACE_TO_END;
  }

  /** Items after an opening bracket, up to its closing one. A comma may follow the last item. */
  readList(readItem: () => JsonValue): JsonValue[] {
    const items: JsonValue[] = [];
    this.#readUntil("]", () => items.push(readItem()));
    return items;
  }

  /** Members after an opening brace, up to its closing one. A comma may follow the last; the later of two with one name wins. */
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

  /** A text in single or double quotes; `undefined` where no quote comes next. */
  readQuoted(): string | undefined {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") return undefined;
    this.#at++;
    // Texts that are added one by one take 32 bytes each until they are read.
    const pieces: string[] = [];
    for (;;) {
      const next = this.#text[this.#at];
      if (next === "\\") {
        pieces.push(this.readEscape());
      } else if (next === quote) {
        this.#at++;
        return pieces.join("");
      } else {
        const plain = this.match(PLAIN)?.[0];
        if (plain === undefined && (next === undefined || !this.#mayBeQuoted(next))) {
          this.refuse(`the closing ${quote} of a text`);
        }
        pieces.push(plain ?? this.#text[this.#at++] as string);
      }
    }
  }

  /** The character that an escape sequence means. */
  readEscape(): string {
    const short = this.#text[this.#at] === "\\" ? ESCAPES.get(this.#text[this.#at + 1] ?? "") : undefined;
    if (short !== undefined) {
      this.#at += 2;
      return short;
    }
    const [, two, four, eight, letter] = this.match(ESCAPE) ?? this.refuse("an escape");
    const digits = two ?? four ?? eight;
    if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
    if (letter !== undefined && LINE_END.test(letter) && this.#isSpaceQuotable) return "";
    return ESCAPES.get(letter ?? "") ?? this.refuse("an escape");
  }

  /** @throws IonError `syntax` always, with the position */
  refuse(expected: string): never {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = this.#at - before.lastIndexOf("\n");
    const found = this.isAtEnd ? "the end" : JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
    throw new IonError(
      "syntax",
      `expected ${expected}, but found ${found} at line ${line}, column ${column}`,
    );
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
    return character >= " " || character === "\t" && this.#isSpaceQuotable;
  }
}
