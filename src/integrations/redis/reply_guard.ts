/** Limits of replies of Redis, checked before the package reads them. https://redis.io/docs/latest/develop/reference/protocol-spec/ */
import type { Buffer } from "node:buffer";

const REPLY_BYTES = 64 * 1024 * 1024;
const REPLY_ELEMENTS = 1_000_000;
const REPLY_DEPTH = 100;
const LINE_BYTES = 64 * 1024;
const NEW_LINE = 10;

/** What may follow the types that are not listed in the code. */
const SCALARS: Readonly<Record<string, RegExp>> = {
  "+": /^/,
  "-": /^/,
  ":": /^[+-]?\d+$/,
  "(": /^[+-]?\d+$/,
  ",": /^[+-]?(?:inf|nan|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/,
  "#": /^[tf]$/,
  "_": /^$/,
};
const COUNT = /^\d{1,10}$/;

/** Follows the replies of a connection. It takes only what the package reads in the same way. */
export class ReplyGuard {
  #line = "";
  /** Bytes of a text that are still to come. */
  #skipped = 0;
  /** Whether the next line is the end of a text. */
  #endsText = false;
  /** Elements that are still to come in the arrays which are open. */
  readonly #open: number[] = [];
  #elements = 0;
  #bytes = 0;

  /** @throws Error a reply is malformed, or exceeds a limit */
  check(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const length = Math.min(this.#skipped, chunk.length - at);
      this.#skipped -= length;
      at += length;
      if (at === chunk.length) return;
      const end = chunk.indexOf(NEW_LINE, at) + 1 || chunk.length;
      this.#line += chunk.toString("latin1", at, end);
      at = end;
      if (this.#line.length > LINE_BYTES) throw tooLong(`a line of more than ${LINE_BYTES} bytes`);
      if (this.#line.endsWith("\n")) this.#read(this.#line);
    }
  }

  #read(line: string): void {
    this.#line = "";
    const text = line.slice(0, -2);
    if (!line.endsWith("\r\n") || text.includes("\r")) throw malformed();
    if (!this.#endsText) return this.#readType(text.charAt(0), text.slice(1));
    if (text !== "") throw malformed();
    this.#endsText = false;
    this.#end();
  }

  #readType(type: string, rest: string): void {
    switch (type) {
      case "$":
      case "=":
      case "!":
        return this.#beginText(type, rest);
      case "*":
      case ">":
      case "~":
      case "%":
        return this.#beginArray(type, rest);
      default:
        if (!SCALARS[type]?.test(rest)) throw malformed();
        this.#count(0, rest.length);
        this.#end();
    }
  }

  #beginText(type: string, rest: string): void {
    if (type === "$" && rest === "-1") return this.#end();
    // Its form, such as `txt:`, counts.
    if (!COUNT.test(rest) || type === "=" && Number(rest) < 4) throw malformed();
    this.#count(0, Number(rest));
    this.#skipped = Number(rest);
    this.#endsText = true;
  }

  #beginArray(type: string, rest: string): void {
    if (type === "*" && rest === "-1") return this.#end();
    if (!COUNT.test(rest)) throw malformed();
    const length = Number(rest) * (type === "%" ? 2 : 1);
    this.#count(length, 0);
    if (length === 0) return this.#end();
    this.#open.push(length);
    if (this.#open.length > REPLY_DEPTH) throw tooLong(`more than ${REPLY_DEPTH} levels`);
  }

  #count(elements: number, bytes: number): void {
    this.#elements += elements;
    this.#bytes += bytes;
    if (this.#elements > REPLY_ELEMENTS) throw tooLong(`more than ${REPLY_ELEMENTS} elements`);
    if (this.#bytes > REPLY_BYTES) throw tooLong(`more than ${REPLY_BYTES} bytes`);
  }

  /** Ends a value, and the arrays whose last one it is. */
  #end(): void {
    for (let level = this.#open.length - 1; level >= 0; level--) {
      const left = (this.#open[level] ?? 0) - 1;
      this.#open[level] = left;
      if (left > 0) return;
      this.#open.pop();
    }
    this.#elements = this.#bytes = 0;
  }
}

function malformed(): Error {
  return new Error("the server sent a reply that is malformed");
}

function tooLong(what: string): Error {
  return new Error(`the server sent a reply with ${what}: ask for fewer values at a time`);
}
