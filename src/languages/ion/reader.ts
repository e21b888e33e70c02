/**
 * Ion text → values. Symbols and timestamps become texts, s-expressions lists, blobs their base64 text, clobs texts;
 * annotations are dropped; floats without a value are null. https://amazon-ion.github.io/ion-docs/docs/spec.html
 */
import { ION_NUMBER, MAX_ION_NUMBER_LENGTH, readIonNumber } from "./number.ts";
import { type IonDialect, IonScanner } from "./scanner.ts";
import { Double, type JsonValue } from "../../base/json.ts";
import { fail } from "../values/errors.ts";

/** Lists and structs within each other. */
const MAX_DEPTH = 200;
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

const DIALECT: IonDialect = { isSpaceQuotable: true, refuse };

/** The first value of a text, which may hold several. @throws ExpressionError `argument`, `limit` */
export function parseIonText(text: string): JsonValue {
  return new IonReader(text).readFirst();
}

/** Every value of a text, one behind the other. @throws ExpressionError `argument`, `limit` */
export function parseIonRows(text: string): JsonValue[] {
  return new IonReader(text).readAll();
}

class IonReader {
  readonly #scanner: IonScanner;

  constructor(text: string) {
    this.#scanner = new IonScanner(text, DIALECT);
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

  /** Space, comments, and version markers, which are no values. */
  #skipMarkers(): void {
    do this.#scanner.skipSpace(); while (this.#scanner.accept("$ion_1_0"));
  }

  #value(depth: number): JsonValue {
    if (depth > MAX_DEPTH) fail("limit", `Cannot read Ion nested deeper than ${MAX_DEPTH}`);
    this.#skipAnnotations();
    const scanner = this.#scanner;
    const blob = scanner.match(BLOB)?.[1];
    if (blob !== undefined) return blob.replace(/\s+/g, "");
    if (scanner.accept("{{")) return this.#clob();
    const readItem = () => this.#value(depth + 1);
    if (scanner.accept("{")) return scanner.readStruct(() => this.#name(), readItem);
    if (scanner.accept("[")) return scanner.readList(readItem);
    if (scanner.accept("(")) return this.#expression(readItem);
    return this.#text() ?? this.#scalar();
  }

  #scalar(): JsonValue {
    const scanner = this.#scanner;
    if (scanner.match(TYPED_NULL) || scanner.match(NOT_FINITE)) return null;
    const timestamp = scanner.match(TIMESTAMP)?.[0];
    if (timestamp !== undefined) return timestamp;
    const number = scanner.match(ION_NUMBER)?.[0];
    if (number !== undefined) return this.#number(number);
    const symbol = scanner.match(SYMBOL)?.[0] ?? scanner.refuse("a value");
    if (symbol === "null") return null;
    return symbol === "true" || symbol === "false" ? symbol === "true" : symbol;
  }

  #number(word: string): JsonValue {
    if (word.length > MAX_ION_NUMBER_LENGTH) refuseNumber();
    const value = readIonNumber(word);
    if (value instanceof Double && !Number.isFinite(value.value)) this.#scanner.refuse("a smaller number");
    if (typeof value === "bigint" && String(value).length > MAX_ION_NUMBER_LENGTH) refuseNumber();
    return value;
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
      return scanner.return(start);
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
    return this.#text() ?? this.#scanner.match(SYMBOL)?.[0] ?? this.#scanner.refuse("a member name");
  }

  /** After the opening `{{` of something that is no blob. */
  #clob(): string {
    const scanner = this.#scanner;
    scanner.skipSpace();
    const text = scanner.startsWith('"') ? scanner.readQuoted() : this.#longText();
    scanner.skipSpace();
    if (text === undefined) return scanner.refuse("a text");
    return scanner.accept("}}") ? text : scanner.refuse('"}}"');
  }

  #text(): string | undefined {
    return this.#longText() ?? this.#scanner.readQuoted();
  }

  /** Parts in `'''`, joined. */
  #longText(): string | undefined {
    const scanner = this.#scanner;
    if (!scanner.startsWith("'''")) return undefined;
    let text = "";
    while (scanner.accept("'''")) {
      while (!scanner.accept("'''")) {
        text += scanner.match(LONG_PLAIN)?.[0].replace(/\r\n?/g, "\n") ?? scanner.readEscape();
      }
      scanner.skipSpace();
    }
    return text;
  }
}

function refuseNumber(): never {
  return fail("limit", "Cannot read an Ion number that long");
}

function refuse(expected: string, text: string, at: number): never {
  const rest = text.slice(at, at + 20);
  const found = rest === "" ? "the end" : JSON.stringify(rest);
  return fail("argument", `Cannot read the Ion text: expected ${expected}, found ${found} at offset ${at}`);
}
