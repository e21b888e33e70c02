/**
 * The plain subset of YAML in one pass: block maps and lists, one-line values, literal texts. Gives up on anything else and
 * on every error; then the full reader reads the source and reports the errors. Both give the same values.
 * Kept for its speed: a flow of 20 lines takes 0.04 ms and one of 200 tasks 3 ms, with the full reader 0.7 and 60 ms
 * (Deno 2.9 on 2 cores, mean of 2,000 and 60 readings).
 */
import { Double, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";

/** Deeper documents are left to the full reader. */
const MAX_DEPTH = 50;
/** Tabs and other control characters, and the byte order mark. */
// deno-lint-ignore no-control-regex
const STRANGE = /[\u0000-\u0009\u000b-\u001f\u007f\u0085\ufeff]/;
const MARKER = /^(?:---|\.\.\.)/m;
/** A key is short: the language allows 1,024 characters. */
const KEY = /(?:([A-Za-z_][\w./-]{0,199})|"([^"\\]{0,200})"|'([^']{0,200})'):(?: +|$)/y;
const LITERAL = /^\|([-+]?)(?: +#.*| *)$/;

/** The document of a plain source; `undefined` for any other, valid or not. */
export function readPlainYaml(source: string): JsonObject | undefined {
  if (STRANGE.test(source) || MARKER.test(source)) return undefined;
  return new PlainReader(source).read();
}

/** A line that is neither blank nor a comment; `indent` is the column of its text. */
interface Line {
  readonly indent: number;
  readonly text: string;
}

class PlainReader {
  readonly #lines: readonly string[];
  /** Index of the next line. */
  #at = 0;
  /** The current line; of a list entry, what follows its dash. */
  #line: Line | undefined;
  #depth = 0;
  #hasGivenUp = false;

  constructor(source: string) {
    this.#lines = source.split("\n");
    this.#next();
  }

  read(): JsonObject | undefined {
    if (this.#line?.indent !== 0 || isEntry(this.#line.text)) return undefined;
    const document = this.#readMap(0);
    return this.#hasGivenUp ? undefined : document;
  }

  #next(): void {
    const lines = this.#lines;
    while (this.#at < lines.length) {
      const line = lines[this.#at++] as string;
      const indent = indentOf(line);
      if (indent === line.length || line[indent] === "#") continue;
      this.#line = { indent, text: indent === 0 ? line : line.slice(indent) };
      return;
    }
    this.#line = undefined;
  }

  #giveUp(): null {
    this.#hasGivenUp = true;
    this.#at = this.#lines.length;
    this.#line = undefined;
    return null;
  }

  /** A map or a list that begins at the current line. */
  #readBlock({ indent, text }: Line): JsonValue {
    if (++this.#depth > MAX_DEPTH) return this.#giveUp();
    const value = isEntry(text) ? this.#readList(indent) : this.#readMap(indent);
    this.#depth--;
    return value;
  }

  #readMap(indent: number): JsonObject {
    const map: JsonObject = {};
    while (this.#line && this.#line.indent >= indent) {
      const { text } = this.#line;
      const key = this.#line.indent === indent ? keyOf(text) : undefined;
      if (!key || Object.hasOwn(map, key.name)) {
        this.#giveUp();
        break;
      }
      setOwnProperty(map, key.name, this.#readMember(text.slice(key.end), indent));
    }
    return map;
  }

  /** A value after its key: on the same line, or below. A list may have the indent of its key. */
  #readMember(rest: string, indent: number): JsonValue {
    if (!endsLine(rest)) return this.#readInline(rest, indent);
    this.#next();
    const line = this.#line;
    if (line?.indent === indent && isEntry(line.text)) return this.#readList(indent);
    return line && line.indent > indent ? this.#readBlock(line) : null;
  }

  #readList(indent: number): JsonValue[] {
    const list: JsonValue[] = [];
    while (this.#line?.indent === indent && isEntry(this.#line.text)) {
      list.push(this.#readEntry(this.#line.text, indent));
    }
    if (this.#line && this.#line.indent > indent) this.#giveUp();
    return list;
  }

  #readEntry(text: string, indent: number): JsonValue {
    const offset = 1 + indentOf(text.slice(1));
    const rest = text.slice(offset);
    if (endsLine(rest)) {
      this.#next();
      return this.#line && this.#line.indent > indent ? this.#readBlock(this.#line) : null;
    }
    if (!isEntry(rest) && !keyOf(rest)) return this.#readInline(rest, indent);
    this.#line = { indent: indent + offset, text: rest };
    return this.#readBlock(this.#line);
  }

  /** A value on one line, or a literal text. Deeper lines after it would belong to it. */
  #readInline(text: string, indent: number): JsonValue {
    const literal = LITERAL.exec(text);
    if (literal) return this.#readLiteral(indent, literal[1] ?? "");
    const value = readInlineValue(text);
    if (value === GIVEN_UP) return this.#giveUp();
    this.#next();
    return this.#line && this.#line.indent > indent ? this.#giveUp() : value;
  }

  /** Lines deeper than `indent`, as they are. */
  #readLiteral(indent: number, chomping: string): JsonValue {
    const lines = this.#lines;
    const first = this.#at;
    const margin = indentOf(lines[first] ?? "");
    let at = first;
    // A text that reaches the last line, which has no line break, is left to the full reader.
    while (at < lines.length && isWithin(lines[at] as string, margin)) at++;
    if (margin <= indent || margin === lines[first]?.length || at >= lines.length - 1) return this.#giveUp();
    const text = lines.slice(first, at).map((line) => line.slice(margin)).join("\n");
    this.#at = at;
    this.#next();
    if (this.#line && this.#line.indent > indent) return this.#giveUp();
    if (chomping === "+") return `${text}\n`;
    const trimmed = withoutEnd(text, "\n");
    return chomping === "-" ? trimmed : `${trimmed}\n`;
  }
}

/** Blank lines belong to every text. */
function isWithin(line: string, margin: number): boolean {
  const indent = indentOf(line);
  return indent >= margin || indent === line.length;
}

function indentOf(line: string): number {
  let indent = 0;
  while (line.charCodeAt(indent) === 32) indent++;
  return indent;
}

/** True for an entry of a list. */
function isEntry(text: string): boolean {
  return text.charCodeAt(0) === 45 && (text.length === 1 || text.charCodeAt(1) === 32);
}

function keyOf(text: string): { readonly name: string; readonly end: number } | undefined {
  KEY.lastIndex = 0;
  const match = KEY.exec(text);
  return match ? { name: match[1] ?? match[2] ?? match[3] ?? "", end: KEY.lastIndex } : undefined;
}

/** The text is left to the full reader. */
const GIVEN_UP = Symbol("given up");

type Reading = JsonValue | typeof GIVEN_UP;

const MAX_BRACKET_DEPTH = 20;
/** After a value: nothing, or a comment. */
const REST = / *$| +#/y;
const DOUBLE_QUOTED = /"((?:[^"\\]|\\["\\/nt])*)"/y;
const SINGLE_QUOTED = /'((?:[^']|'')*)'/y;
const ESCAPES: ReadonlyMap<string, string> = new Map([["n", "\n"], ["t", "\t"]]);

/** Beginnings of texts that are no plain scalars. */
const NO_PLAIN_START = /^(?:[,[\]{}#&*!|>'"%@`]|[-?:](?: |$))/;
/** A colon that would make the text before it a key. */
const KEY_INSIDE = /:(?: |$)/;
const INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;
const DECIMAL = /^-?\d{1,15}\.\d{1,15}$/;
/** Other forms that may be numbers. */
const NUMERIC =
  /^(?:[-+]?[\d.]+(?:[eE][-+]?\d*)?|0x[\da-fA-F]*|0o[0-7]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);
const LONGEST_WORD = 5;

/** The value of a line, up to a comment. */
function readInlineValue(text: string): Reading {
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
function endsLine(text: string, offset = 0): boolean {
  if (offset === 0 && (text === "" || text[0] === "#")) return true;
  REST.lastIndex = offset;
  return REST.test(text);
}

/** A text without the repeated character at its end. A regular expression would take quadratic time. */
function withoutEnd(text: string, character: string): string {
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

/** The value of an unquoted text. */
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

/** Unquoted texts within brackets, without a colon. */
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
      if (++this.#depth > MAX_BRACKET_DEPTH) return GIVEN_UP;
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

  /** Skips the opening bracket first; true after the closing one. */
  #closes(bracket: string, isFirst: boolean): boolean {
    if (isFirst) this.#at++;
    this.#skip();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  /** Skips a comma and space between items. */
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
