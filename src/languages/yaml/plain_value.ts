/** Values of plain YAML that stand on one line: scalars, and lists and maps in brackets. */
import { Double, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";

/** Says that a text is left to the library. */
export const GIVEN_UP = Symbol("given up");

type Reading = JsonValue | typeof GIVEN_UP;

const MAX_DEPTH = 20;
/** After a value: nothing, or a comment. */
const REST = / *$| +#/y;
const DOUBLE_QUOTED = /"((?:[^"\\]|\\["\\/nt])*)"/y;
const SINGLE_QUOTED = /'((?:[^']|'')*)'/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([["n", "\n"], ["t", "\t"]]);

/** Texts that begin like this are something else, or nothing. */
const NO_PLAIN_START = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?: |$))/;
/** A colon that would make a key of what is before it. */
const KEY_INSIDE = /:(?: |$)/;
const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;
const DECIMAL = /^-?\d{1,15}\.\d{1,15}$/;
/** What may be a number of some other form. */
const NUMERIC =
  /^(?:[-+]?[\d.]+(?:[eE][-+]?\d*)?|0x[\da-fA-F]*|0o[0-7]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);
const LONGEST_WORD = 5;

/** The value that a line holds, up to a comment. */
export function readInlineValue(text: string): Reading {
  const first = text[0];
  if (first === "[" || first === "{") return new BracketReader(text).read();
  if (first === '"' || first === "'") {
    const quoted = readQuoted(text, 0);
    return quoted && endsLine(text, quoted.end) ? quoted.value : GIVEN_UP;
  }
  const comment = text.indexOf(" #");
  const plain = withoutEnd(comment < 0 ? text : text.slice(0, comment), " ");
  return NO_PLAIN_START.test(plain) || KEY_INSIDE.test(plain) ? GIVEN_UP : scalarOf(plain);
}

/** True when nothing but white space and a comment follows; a comment at the very start counts. */
export function endsLine(text: string, offset = 0): boolean {
  if (offset === 0 && (text === "" || text[0] === "#")) return true;
  REST.lastIndex = offset;
  return REST.test(text);
}

/** A text without the repeated character at its end. A regular expression would look at each run of it anew. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

function readQuoted(
  text: string,
  offset: number,
): { readonly value: string; readonly end: number } | undefined {
  const pattern = text[offset] === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED;
  pattern.lastIndex = offset;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const inner = match[1] as string;
  const value = pattern === SINGLE_QUOTED
    ? inner.replaceAll("''", "'")
    : inner.includes("\\")
    ? inner.replace(/\\(.)/g, (_, letter: string) => ESCAPES.get(letter) ?? letter)
    : inner;
  return { value, end: pattern.lastIndex };
}

/** What an unquoted text means. */
function scalarOf(text: string): Reading {
  if (text.length <= LONGEST_WORD) {
    const word = WORDS.get(text);
    if (word !== undefined) return word;
  }
  const code = text.charCodeAt(0);
  const isNumeric = code >= 48 && code <= 57 || code === 43 || code === 45 || code === 46;
  if (!isNumeric) return text;
  if (INTEGER.test(text)) return Number(text);
  if (DECIMAL.test(text)) return new Double(Number(text));
  return NUMERIC.test(text) ? GIVEN_UP : text;
}

/** Unquoted texts within brackets: no colon, no sign of anything else. */
const PLAIN_INSIDE = /[\w./$]+(?:[ -]+[\w./$]+)*(?= *[,\]}])|-\d+(?= *[,\]}])/y;
const KEY_OF_MAP = /([A-Za-z_][\w.-]{0,199}): +|"([^"\\]{0,200})": +/y;

/** Lists and maps in brackets, on one line. */
class BracketReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Reading {
    const value = this.#value();
    return value !== GIVEN_UP && endsLine(this.#text, this.#at) ? value : GIVEN_UP;
  }

  #value(): Reading {
    const first = this.#text[this.#at];
    if (first === "[" || first === "{") {
      if (++this.#depth > MAX_DEPTH) return GIVEN_UP;
      const value = first === "[" ? this.#list() : this.#map();
      this.#depth--;
      return value;
    }
    if (first === '"' || first === "'") {
      const quoted = readQuoted(this.#text, this.#at);
      if (!quoted) return GIVEN_UP;
      this.#at = quoted.end;
      return quoted.value;
    }
    const plain = this.#match(PLAIN_INSIDE);
    return plain ? scalarOf(plain[0]) : GIVEN_UP;
  }

  #list(): Reading {
    const list: JsonValue[] = [];
    for (let isFirst = true; !this.#closes("]", isFirst); isFirst = false) {
      if (!this.#separates(isFirst)) return GIVEN_UP;
      const value = this.#value();
      if (value === GIVEN_UP) return GIVEN_UP;
      list.push(value);
    }
    return list;
  }

  #map(): Reading {
    const map: JsonObject = {};
    for (let isFirst = true; !this.#closes("}", isFirst); isFirst = false) {
      if (!this.#separates(isFirst)) return GIVEN_UP;
      const key = this.#match(KEY_OF_MAP);
      const name = key?.[1] ?? key?.[2];
      if (name === undefined || Object.hasOwn(map, name)) return GIVEN_UP;
      const value = this.#value();
      if (value === GIVEN_UP) return GIVEN_UP;
      setOwnProperty(map, name, value);
    }
    return map;
  }

  /** Passes the opening bracket first; true once the closing one is passed. */
  #closes(bracket: string, isFirst: boolean): boolean {
    if (isFirst) this.#at++;
    this.#skip();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  /** A comma and white space, but before the first one. */
  #separates(isFirst: boolean): boolean {
    if (isFirst) return true;
    if (this.#text[this.#at] !== ",") return false;
    this.#at++;
    this.#skip();
    return true;
  }

  #skip(): void {
    while (this.#text.charCodeAt(this.#at) === 32) this.#at++;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at = pattern.lastIndex;
    return match;
  }
}
