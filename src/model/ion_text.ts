/**
 * Reads the text of a value as clients write it: Ion text, of which JSON is a part, without its annotations, s-expressions
 * and binary values. Numbers keep their kind. Grammar: https://amazon-ion.github.io/ion-docs/docs/spec.html
 */
import { type JsonObject, type JsonValue, numberOfSource, setOwnProperty } from "../base/json.ts";
import { DomainError } from "./errors.ts";
import { normalizeTimestamp, parseDay } from "./timestamp_text.ts";

/** What a text stands for; a date and a timestamp are texts of their own kind. */
export type IonKind = "null" | "boolean" | "number" | "string" | "date" | "timestamp" | "container";

/** A value and what it was written as. */
export interface IonValue {
  readonly kind: IonKind;
  readonly value: JsonValue;
}

/** Lists and objects within each other; deeper ones would exhaust the stack of whoever walks them. */
const MAX_DEPTH = 100;
/** Reading and printing an integer takes time quadratic in its digits. */
const MAX_NUMBER_LENGTH = 1_000;

const NUMBER = /^-?(?:0|[1-9](?:_?\d)*)(?:\.(?:\d(?:_?\d)*)?)?(?:[eEdD][+-]?\d+)?$/;
const RADIX = /^(-?)(0[xX][\da-fA-F](?:_?[\da-fA-F])*|0[bB][01](?:_?[01])*)$/;
const NULL = /^null(?:\.[a-z]+)?$/;
const SPACE = /(?:[ \t\r\n\v\f]+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;
const BARE = /[^\s,:[\]{}"'()]+/y;
/** Dates and times have colons of their own. */
const TIMESTAMP = /\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})/y;
// deno-lint-ignore no-control-regex
const PLAIN = /[^"'\\\u0000-\u001f]+/y;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["a", "\u0007"],
  ["v", "\v"],
  ["0", "\0"],
  ["?", "?"],
  ["/", "/"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
]);
const HEX_ESCAPES: ReadonlyMap<string, number> = new Map([["x", 2], ["u", 4], ["U", 8]]);

/**
 * Reads one value. What begins with neither quote nor bracket is one word: a number, a date, … or else a string; it may
 * hold spaces when `isProseAllowed`.
 * @throws DomainError invalid_json
 */
export function parseIon(text: string, options: { isProseAllowed: boolean }): IonValue {
  const trimmed = text.trim();
  if (trimmed === "") throw new DomainError("invalid_json", "Invalid json: there is no value");
  if (/^["'[{]/.test(trimmed)) return new IonReader(text).readDocument();
  const isWord = !/[\s"'{}[\]]/.test(trimmed);
  if (isWord || options.isProseAllowed) return readBare(trimmed);
  throw new DomainError(
    "invalid_json",
    `Invalid json: a text with spaces or quotes must be written in double quotes`,
  );
}

/** What a word without quotes stands for. @throws DomainError invalid_json */
function readBare(word: string): IonValue {
  if (NULL.test(word)) return { kind: "null", value: null };
  if (word === "true" || word === "false") return { kind: "boolean", value: word === "true" };
  if (NUMBER.test(word) || RADIX.test(word)) return { kind: "number", value: readNumber(word) };
  const day = parseDay(word);
  if (day !== undefined) return { kind: "date", value: day };
  const timestamp = normalizeTimestamp(word);
  if (timestamp !== undefined) return { kind: "timestamp", value: timestamp };
  return { kind: "string", value: word };
}

function readNumber(word: string): JsonValue {
  if (word.length > MAX_NUMBER_LENGTH) {
    throw new DomainError(
      "invalid_json",
      `Invalid json: a number has more than ${MAX_NUMBER_LENGTH} characters`,
    );
  }
  const digits = word.replaceAll("_", "");
  const [, sign, magnitude] = RADIX.exec(digits) ?? [];
  if (magnitude !== undefined) {
    const value = BigInt(magnitude);
    return numberOfSource(String(sign === "-" ? -value : value));
  }
  const source = digits.replace(/d/i, "e");
  if (!Number.isFinite(Number(source)) && /[.e]/i.test(source)) {
    throw new DomainError("invalid_json", `Invalid json: the number "${word.slice(0, 40)}" is too large`);
  }
  return numberOfSource(source);
}

/** Recursive descent over one text. */
class IonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The value, which must be all of the text. */
  readDocument(): IonValue {
    const value = this.#readValue(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail("the end of the text");
    return value;
  }

  #readValue(depth: number): IonValue {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") return { kind: "string", value: this.#readQuoted() };
    if (first === "[" || first === "{") {
      if (depth >= MAX_DEPTH) {
        throw new DomainError("invalid_json", `Invalid json: nested deeper than ${MAX_DEPTH} levels`);
      }
      this.#at++;
      return {
        kind: "container",
        value: first === "[" ? this.#readList(depth + 1) : this.#readObject(depth + 1),
      };
    }
    return readBare(this.#match(TIMESTAMP) ?? this.#match(BARE) ?? this.#fail("a value"));
  }

  #readList(depth: number): JsonValue[] {
    const items: JsonValue[] = [];
    while (!this.#accept("]")) {
      items.push(this.#readValue(depth).value);
      if (!this.#accept(",")) {
        if (this.#accept("]")) break;
        this.#fail('"," or "]"');
      }
    }
    return items;
  }

  #readObject(depth: number): JsonObject {
    const members: JsonObject = {};
    while (!this.#accept("}")) {
      const name = this.#readName();
      if (!this.#accept(":")) this.#fail('":"');
      setOwnProperty(members, name, this.#readValue(depth).value);
      if (!this.#accept(",")) {
        if (this.#accept("}")) break;
        this.#fail('"," or "}"');
      }
    }
    return members;
  }

  #readName(): string {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") return this.#readQuoted();
    return this.#match(BARE) ?? this.#fail("a member name");
  }

  /** A string, or a name in single quotes; the other kind of quote needs no escape in it. */
  #readQuoted(): string {
    const quote = this.#text[this.#at++];
    let text = "";
    for (;;) {
      text += this.#match(PLAIN) ?? "";
      const next = this.#text[this.#at];
      if (next === undefined || next < " ") this.#fail(`the closing ${quote} of a text`);
      this.#at++;
      if (next === quote) return text;
      text += next === "\\" ? this.#readEscape() : next;
    }
  }

  #readEscape(): string {
    const letter = this.#text[this.#at++] ?? this.#fail("an escape");
    const length = HEX_ESCAPES.get(letter);
    if (length === undefined) return ESCAPES.get(letter) ?? this.#fail("an escape");
    const digits = this.#text.slice(this.#at, this.#at + length);
    const code = Number.parseInt(digits, 16);
    if (digits.length < length || !/^[\da-f]+$/i.test(digits) || code > 0x10ffff) this.#fail("an escape");
    this.#at += length;
    return String.fromCodePoint(code);
  }

  #accept(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    this.#match(SPACE);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(expected: string): never {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = this.#at - before.lastIndexOf("\n");
    const found = this.#at < this.#text.length
      ? JSON.stringify(this.#text.slice(this.#at, this.#at + 20))
      : "the end";
    throw new DomainError(
      "invalid_json",
      `Invalid json: expected ${expected}, but found ${found} at line ${line}, column ${column}`,
    );
  }
}
