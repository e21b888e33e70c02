/**
 * The plain subset of YAML in one pass: block maps and lists, one-line values, literal texts. Gives up on anything else and
 * on every error; then the full reader reads the source and reports the errors. Both give the same values.
 * Kept for its speed: a flow of 20 lines takes 0.04 ms and one of 200 tasks 3 ms, with the full reader 0.7 and 60 ms
 * (Deno 2.9 on 2 cores, mean of 2,000 and 60 readings).
 */
import { type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { endsLine, GIVEN_UP, readInlineValue, withoutEnd } from "./plain_value.ts";

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

/** A line that holds something; `indent` is the column of its text. */
interface Line {
  readonly indent: number;
  readonly text: string;
}

class PlainReader {
  readonly #lines: readonly string[];
  /** Of the next line. */
  #at = 0;
  /** The line that is read; a list entry leaves what follows its dash. */
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

  /** Goes to the next line that is neither blank nor a comment. */
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

  /** A value after its key: on the same line, or below. A list may stand as far left as its key. */
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

  /** A value that stands on one line, or a literal text; what is deeper after it would belong to it. */
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
    // The last line has no line break: a text that runs into it is left to the library.
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

/** Blank lines are within every text. */
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
