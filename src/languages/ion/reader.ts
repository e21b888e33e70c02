/**
 * Ion text → values, by one of two grammars. The full one is that of `fromIon`: symbols and timestamps become texts,
 * s-expressions lists, blobs their base64 text, clobs texts; annotations are dropped; `nan` and infinities are null. The
 * loose one is for values that clients write: JSON with the numbers and quotes of Ion, and words without quotes.
 * https://amazon-ion.github.io/ion-docs/docs/spec.html
 */
import type { JsonValue } from "../../base/json.ts";
import { IonError } from "./error.ts";
import { normalizeDay, normalizeTimestamp } from "../../base/time/iso_8601.ts";
import { ION_NUMBER, readIonNumber } from "./number.ts";
import { IonScanner } from "./scanner.ts";
import { type IonValue, readWord } from "./word.ts";

/** Nested containers. Other code walks loose values recursively, so that deeper ones could exhaust its stack. */
const MAX_DEPTH = { full: 200, loose: 100 };
const SYMBOL = /[A-Za-z_$][\w$]*/y;
const TYPED_NULL = /null\.[a-z]+/y;
const TIMESTAMP =
  /\d{4}(?:T|-\d\d(?:T|-\d\d(?:T(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?))(?=[\s,[\]{}()]|$)/y;
const NOT_FINITE = /nan(?![\w$])|[+-]inf(?![\w$])/y;
/** Not the sign of a number. */
const OPERATOR = /(?![-+]\d|[+-]inf)[!#%&*+\-./;<=>?@^`|~]+/y;
const BLOB = /\{\{([A-Za-z0-9+/=\s]*)\}\}/y;
const ANNOTATION = /\s*::/y;
const LONG_PLAIN = /(?:(?!''')[^\\])+/y;
const WORD = /[^\s,:[\]{}"'()]+/y;
/** A word that contains colons. */
const WORD_WITH_TIME = /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})/y;

/** The first value of a text in the full grammar, its timestamps normalized; more may follow. @throws IonError */
export function parseIonText(text: string): JsonValue {
  return new IonReader(text, "full", timestampText).readFirst();
}

/** As {@link parseIonText}, of every value of a text, one after the other. @throws IonError */
export function parseIonTexts(text: string): JsonValue[] {
  return new IonReader(text, "full", timestampText).readAll();
}

/** Every row of a file in the full grammar, its timestamps as they are written. @throws IonError */
export function parseIonRows(text: string): JsonValue[] {
  return new IonReader(text, "full").readAll();
}

/**
 * The only value of a text in the loose grammar. A text that begins with neither quote nor bracket is one word; it may
 * contain spaces when `isProseAllowed`. @throws IonError
 */
export function parseIon(text: string, options: { isProseAllowed: boolean }): IonValue {
  const trimmed = text.trim();
  if (trimmed === "") throw new IonError("syntax", "there is no value");
  if (/^["'[{]/.test(trimmed)) {
    const value = new IonReader(text, "loose").readOnly();
    return { kind: typeof value === "string" ? "string" : "container", value };
  }
  const isWord = !/[\s"'{}[\]]/.test(trimmed);
  if (isWord || options.isProseAllowed) return readWord(trimmed);
  throw new IonError("syntax", "a text with spaces or quotes must be written in double quotes");
}

class IonReader {
  readonly #scanner: IonScanner;
  readonly #isFull: boolean;
  readonly #maxDepth: number;
  readonly #timestampText: (timestamp: string) => string;

  constructor(text: string, grammar: "full" | "loose", timestampText = (timestamp: string) => timestamp) {
    this.#timestampText = timestampText;
    this.#isFull = grammar === "full";
    this.#maxDepth = MAX_DEPTH[grammar];
    this.#scanner = new IonScanner(text, { isSpaceQuotable: this.#isFull });
  }

  readFirst(): JsonValue {
    this.#skipMarkers();
    return this.#value(0);
  }

  readAll(): JsonValue[] {
    const values: JsonValue[] = [];
    for (this.#skipMarkers(); !this.#scanner.isAtEnd; this.#skipMarkers()) values.push(this.#value(0));
    return values;
  }

  readOnly(): JsonValue {
    const value = this.#value(0);
    this.#scanner.skipSpace();
    return this.#scanner.isAtEnd ? value : this.#scanner.refuse("the end of the text");
  }

  /** Space, comments, and version markers, which are no values. */
  #skipMarkers(): void {
    do this.#scanner.skipSpace(); while (this.#scanner.accept("$ion_1_0"));
  }

  #value(depth: number): JsonValue {
    if (this.#isFull) this.#skipAnnotations();
    else this.#scanner.skipSpace();
    return this.#container(depth) ?? this.#text() ?? (this.#isFull ? this.#scalar() : this.#word());
  }

  #container(depth: number): JsonValue | undefined {
    const scanner = this.#scanner;
    const opening = scanner.next;
    if (opening !== "{" && opening !== "[" && (opening !== "(" || !this.#isFull)) return undefined;
    if (this.#isFull && scanner.startsWith("{{")) return this.#blob() ?? this.#clob();
    if (depth >= this.#maxDepth) throw new IonError("limit", `nested deeper than ${this.#maxDepth} levels`);
    const readItem = () => this.#value(depth + 1);
    scanner.accept(opening);
    if (opening === "{") return scanner.readStruct(() => this.#name(), readItem);
    return opening === "[" ? scanner.readList(readItem) : this.#expression(readItem);
  }

  #word(): JsonValue {
    const scanner = this.#scanner;
    const word = scanner.match(WORD_WITH_TIME) ?? scanner.match(WORD) ?? scanner.refuse("a value");
    return readWord(word[0]).value;
  }

  #scalar(): JsonValue {
    const scanner = this.#scanner;
    if (scanner.match(TYPED_NULL) || scanner.match(NOT_FINITE)) return null;
    const timestamp = scanner.match(TIMESTAMP)?.[0];
    if (timestamp !== undefined) return this.#timestampText(timestamp);
    const number = scanner.match(ION_NUMBER)?.[0];
    if (number !== undefined) return readIonNumber(number);
    const symbol = scanner.match(SYMBOL)?.[0] ?? scanner.refuse("a value");
    if (symbol === "null") return null;
    return symbol === "true" || symbol === "false" ? symbol === "true" : symbol;
  }

  /** `name::`, any number of times. */
  #skipAnnotations(): void {
    const scanner = this.#scanner;
    for (;;) {
      scanner.skipSpace();
      const start = scanner.at;
      const isNamed = scanner.match(SYMBOL) !== undefined ||
        scanner.startsWith("'") && !scanner.startsWith("'''") && scanner.readQuoted() !== undefined;
      if (isNamed && scanner.match(ANNOTATION)) continue;
      return scanner.rewind(start);
    }
  }

  #expression(readItem: () => JsonValue): JsonValue[] {
    const scanner = this.#scanner;
    const items: JsonValue[] = [];
    for (;;) {
      scanner.skipSpace();
      if (scanner.accept(")")) return items;
      items.push(scanner.match(OPERATOR)?.[0] ?? readItem());
    }
  }

  #name(): string {
    const scanner = this.#scanner;
    return this.#text() ?? scanner.match(this.#isFull ? SYMBOL : WORD)?.[0] ??
      scanner.refuse("a member name");
  }

  #blob(): string | undefined {
    return this.#scanner.match(BLOB)?.[1]?.replace(/\s+/g, "");
  }

  #clob(): string {
    const scanner = this.#scanner;
    scanner.accept("{{");
    scanner.skipSpace();
    const text = scanner.startsWith('"') ? scanner.readQuoted() : this.#longText();
    scanner.skipSpace();
    if (text === undefined) return scanner.refuse("a text");
    return scanner.accept("}}") ? text : scanner.refuse('"}}"');
  }

  #text(): string | undefined {
    return (this.#isFull ? this.#longText() : undefined) ?? this.#scanner.readQuoted();
  }

  /** Consecutive parts in `'''`, joined. */
  #longText(): string | undefined {
    const scanner = this.#scanner;
    if (!scanner.startsWith("'''")) return undefined;
    const pieces: string[] = [];
    while (scanner.accept("'''")) {
      while (!scanner.accept("'''")) {
        pieces.push(scanner.match(LONG_PLAIN)?.[0].replace(/\r\n?/g, "\n") ?? scanner.readEscape());
      }
      scanner.skipSpace();
    }
    return pieces.join("");
  }
}

/** The text of a day, or of a time of UTC with its seconds; one with another offset, or of no calendar day, as it is. */
function timestampText(timestamp: string): string {
  const date = timestamp.replace(/^(\d{4})(-\d\d)?T$/, (_, year, month = "-01") => `${year}${month}-01`);
  const isUtc = /(?:Z|[+-]00:00)$/.test(timestamp);
  return normalizeDay(date) ?? (isUtc ? normalizeTimestamp(timestamp) : undefined) ?? timestamp;
}
