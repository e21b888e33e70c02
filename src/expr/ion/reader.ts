/**
 * Ion text → values. Symbols and timestamps become texts, s-expressions lists, blobs their base64 text, clobs texts;
 * annotations are dropped; floats without a value are null. https://amazon-ion.github.io/ion-docs/docs/spec.html
 */
import { Double, type JsonObject, type JsonValue, numberOfSource, setOwnProperty } from "../../base/json.ts";
import { fail } from "../errors.ts";

/** Lists and structs within each other. */
const MAX_DEPTH = 200;
/** Reading an integer takes time quadratic in its digits. */
const MAX_NUMBER_LENGTH = 1000;

const SPACE = /(?:[ \t\r\n\v\f]+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;
const SYMBOL = /[A-Za-z_$][\w$]*/y;
const TYPED_NULL = /null\.[a-z]+/y;
const TIMESTAMP =
  /\d{4}(?:T|-\d\d(?:T|-\d\d(?:T(?:\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?))(?=[\s,[\]{}()]|$)/y;
const RADIX = /-?0(?:[xX][\da-fA-F](?:_?[\da-fA-F])*|[bB][01](?:_?[01])*)/y;
const NUMBER = /-?(?:0|[1-9](?:_?\d)*)(?:\.(?:\d(?:_?\d)*)?)?(?:[eEdD][+-]?\d+)?/y;
const NOT_FINITE = /nan(?![\w$])|[+-]inf(?![\w$])/y;
const OPERATOR = /[!#%&*+\-./;<=>?@^`|~]+/y;
const BLOB = /\{\{([A-Za-z0-9+/=\s]*)\}\}/y;
const ANNOTATION = /\s*::/y;
// deno-lint-ignore no-control-regex
const PLAIN = /[^"'\\\u0000-\u001f]+/y;
const LONG_PLAIN = /(?:(?!''')[^\\])+/y;
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(\r\n|[^xuU]))/y;
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
  ["\n", ""],
  ["\r\n", ""],
]);

/** The first value of a text, which may hold several. @throws ExpressionError `argument`, `limit` */
export function parseIonText(text: string): JsonValue {
  return new IonReader(text).readFirst();
}

class IonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readFirst(): JsonValue {
    this.#match(SPACE);
    // A version marker is no value.
    if (this.#accept("$ion_1_0")) this.#match(SPACE);
    return this.#value(0);
  }

  #value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) fail("limit", `Cannot read Ion nested deeper than ${MAX_DEPTH}`);
    this.#skipAnnotations();
    const blob = this.#match(BLOB)?.[1];
    if (blob !== undefined) return blob.replace(/\s+/g, "");
    if (this.#accept("{{")) return this.#clob();
    if (this.#accept("{")) return this.#struct(depth + 1);
    if (this.#accept("[")) return this.#list(depth + 1);
    if (this.#accept("(")) return this.#expression(depth + 1);
    if (this.#text.startsWith("'''", this.#at)) return this.#longText();
    if (this.#accept('"')) return this.#quoted('"');
    if (this.#accept("'")) return this.#quoted("'");
    return this.#scalar();
  }

  #scalar(): JsonValue {
    if (this.#match(TYPED_NULL) || this.#match(NOT_FINITE)) return null;
    const timestamp = this.#match(TIMESTAMP)?.[0];
    if (timestamp !== undefined) return timestamp;
    const number = this.#match(RADIX)?.[0] ?? this.#match(NUMBER)?.[0];
    if (number !== undefined) return this.#number(number);
    const symbol = this.#match(SYMBOL)?.[0] ?? this.#refuse("a value");
    if (symbol === "null") return null;
    return symbol === "true" || symbol === "false" ? symbol === "true" : symbol;
  }

  #number(word: string): JsonValue {
    if (word.length > MAX_NUMBER_LENGTH) this.#refuseNumber();
    const digits = word.replaceAll("_", "");
    if (/^-?0[xXbB]/.test(digits)) {
      const size = BigInt(digits.replace("-", ""));
      const decimal = String(digits.startsWith("-") ? -size : size);
      return decimal.length <= MAX_NUMBER_LENGTH ? numberOfSource(decimal) : this.#refuseNumber();
    }
    const value = numberOfSource(digits.replace(/d/i, "e"));
    if (value instanceof Double && !Number.isFinite(value.value)) this.#refuse("a smaller number");
    return value;
  }

  #refuseNumber(): never {
    return fail("limit", "Cannot read an Ion number that long");
  }

  /** `name::`, any number of times. */
  #skipAnnotations(): void {
    for (;;) {
      this.#match(SPACE);
      const start = this.#at;
      const isNamed = this.#match(SYMBOL) !== undefined ||
        !this.#text.startsWith("'''", start) && this.#accept("'") && this.#quoted("'") !== undefined;
      if (isNamed && this.#match(ANNOTATION)) continue;
      this.#at = start;
      return;
    }
  }

  #list(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    for (;;) {
      this.#match(SPACE);
      if (this.#accept("]")) return items;
      items.push(this.#value(depth));
      this.#match(SPACE);
      if (!this.#accept(",") && !this.#text.startsWith("]", this.#at)) this.#refuse('"," or "]"');
    }
  }

  #expression(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    for (;;) {
      this.#match(SPACE);
      if (this.#accept(")")) return items;
      const isNumber = /[-+]\d|[+-]inf/y;
      isNumber.lastIndex = this.#at;
      const operator = isNumber.test(this.#text) ? undefined : this.#match(OPERATOR)?.[0];
      items.push(operator ?? this.#value(depth));
    }
  }

  #struct(depth: number): JsonObject {
    const members: JsonObject = {};
    for (;;) {
      this.#match(SPACE);
      if (this.#accept("}")) return members;
      const name = this.#name();
      this.#match(SPACE);
      if (!this.#accept(":")) this.#refuse('":"');
      setOwnProperty(members, name, this.#value(depth));
      this.#match(SPACE);
      if (!this.#accept(",") && !this.#text.startsWith("}", this.#at)) this.#refuse('"," or "}"');
    }
  }

  #name(): string {
    if (this.#text.startsWith("'''", this.#at)) return this.#longText();
    if (this.#accept('"')) return this.#quoted('"');
    if (this.#accept("'")) return this.#quoted("'");
    return this.#match(SYMBOL)?.[0] ?? this.#refuse("a member name");
  }

  /** After the opening `{{` of something that is no blob. */
  #clob(): string {
    this.#match(SPACE);
    const text = this.#accept('"') ? this.#quoted('"') : this.#longText();
    this.#match(SPACE);
    if (!this.#accept("}}")) this.#refuse('"}}"');
    return text;
  }

  #quoted(quote: string): string {
    let text = "";
    for (;;) {
      text += this.#match(PLAIN)?.[0] ?? "";
      const next = this.#text[this.#at];
      if (next === undefined || next < " " && next !== "\t") this.#refuse(`a closing ${quote}`);
      if (next === "\\") text += this.#escape();
      else this.#at++;
      if (next === quote) return text;
      if (next !== "\\") text += next;
    }
  }

  /** Parts in `'''`, joined. */
  #longText(): string {
    if (!this.#text.startsWith("'''", this.#at)) this.#refuse("a text");
    let text = "";
    while (this.#accept("'''")) {
      while (!this.#accept("'''")) {
        text += this.#match(LONG_PLAIN)?.[0].replace(/\r\n?/g, "\n") ?? this.#escape();
      }
      this.#match(SPACE);
    }
    return text;
  }

  #escape(): string {
    const [, two, four, eight, letter] = this.#match(ESCAPE) ?? this.#refuse("an escape");
    const code = two ?? four ?? eight;
    if (code === undefined) return ESCAPES.get(letter ?? "") ?? this.#refuse("an escape");
    const point = Number.parseInt(code, 16);
    return point <= 0x10ffff ? String.fromCodePoint(point) : this.#refuse("a character");
  }

  #accept(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  #refuse(expected: string): never {
    const rest = this.#text.slice(this.#at, this.#at + 20);
    const found = rest === "" ? "the end" : JSON.stringify(rest);
    return fail(
      "argument",
      `Cannot read the Ion text: expected ${expected}, found ${found} at offset ${this.#at}`,
    );
  }
}
