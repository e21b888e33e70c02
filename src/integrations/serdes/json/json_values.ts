/** Splits a stream of JSON text into the texts of its values, without reading the whole file. */
import type { JsonValue } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";

/** Longest value in characters. */
const MAX_VALUE_CHARS = 64 * 1024 * 1024;

/** Signs at which something may begin or end: between values, within a value, within a string. */
const BETWEEN = /[\s,]*/y;
const WITHIN = /["[\]{}]/g;
const QUOTED = /["\\]/g;
const SCALAR_END = /[\s,[\]{}"]/g;

/**
 * The values of a text, one after the other: those of the list that the text consists of with `isList`, else those of the
 * text itself. @throws Error malformed JSON, or a value of more than 64 Mi characters
 */
export async function* jsonValues(
  texts: AsyncIterable<string>,
  { isList }: { readonly isList: boolean },
): AsyncGenerator<JsonValue> {
  const splitter = new JsonSplitter(isList);
  let index = 0;
  for await (const text of texts) {
    for (const value of splitter.add(text)) yield await parsed(value, index++);
  }
  for (const value of splitter.end()) yield await parsed(value, index++);
}

async function parsed(text: string, index: number): Promise<JsonValue> {
  const value = await tryParseLongJson(text);
  if (value !== undefined) return value;
  throw new Error(`Cannot read value ${index + 1} of the file: it is not valid JSON`);
}

class JsonSplitter {
  /** What was added, from the value that is read on. */
  #text = "";
  /** Start of the value that is read. */
  #begin = 0;
  /** Up to where it was read. */
  #at = 0;
  #depth = 0;
  #isQuoted = false;
  /** Of the values; 1 within the list of the text. */
  #base = 0;
  #mayOpenList: boolean;

  constructor(isList: boolean) {
    this.#mayOpenList = isList;
  }

  *add(text: string): Generator<string> {
    this.#text = this.#text.slice(this.#begin) + text;
    this.#at -= this.#begin;
    this.#begin = 0;
    for (let value = this.#next(); value !== undefined; value = this.#next()) yield value;
    if (this.#text.length - this.#begin > MAX_VALUE_CHARS) {
      throw new Error(`A value has more than ${MAX_VALUE_CHARS} characters`);
    }
  }

  /** The last value, which may be incomplete. */
  *end(): Generator<string> {
    if (this.#base === 1) throw new Error("Cannot read the file: its list has no end");
    const rest = this.#text.slice(this.#begin).trim();
    if (rest !== "") yield rest;
  }

  #next(): string | undefined {
    if (this.#at === this.#begin && this.#depth === this.#base && !this.#isQuoted) {
      if (!this.#startValue()) return undefined;
    }
    return this.#isScalar() ? this.#scalar() : this.#container();
  }

  /** Moves to the next value; false if its beginning is not there yet. */
  #startValue(): boolean {
    for (;;) {
      this.#begin = this.#at = endOf(BETWEEN, this.#text, this.#at);
      const sign = this.#text[this.#at];
      if (sign === "[" && this.#mayOpenList) {
        this.#base = this.#depth = 1;
      } else if (sign === "]" && this.#base === 1) {
        this.#base = this.#depth = 0;
      } else {
        this.#mayOpenList &&= sign === undefined;
        return sign !== undefined;
      }
      this.#mayOpenList = false;
      this.#at++;
    }
  }

  #isScalar(): boolean {
    return !/["[{]/.test(this.#text[this.#begin] ?? "");
  }

  #scalar(): string | undefined {
    const end = indexOf(SCALAR_END, this.#text, this.#begin + 1);
    this.#at = end < 0 ? this.#begin : end;
    return end < 0 ? undefined : this.#take();
  }

  #container(): string | undefined {
    for (;;) {
      const found = indexOf(this.#isQuoted ? QUOTED : WITHIN, this.#text, this.#at);
      const sign = this.#text[found];
      if (found < 0 || sign === "\\" && found + 1 === this.#text.length) {
        this.#at = found < 0 ? this.#text.length : found;
        return undefined;
      }
      this.#at = found + (sign === "\\" ? 2 : 1);
      if (sign === '"') this.#isQuoted = !this.#isQuoted;
      else if (sign === "[" || sign === "{") this.#depth++;
      else if (sign !== "\\") this.#depth--;
      if (sign !== "\\" && !this.#isQuoted && this.#depth === this.#base) return this.#take();
    }
  }

  #take(): string {
    const value = this.#text.slice(this.#begin, this.#at);
    this.#begin = this.#at;
    return value;
  }
}

function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? -1;
}

function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.exec(text);
  return pattern.lastIndex;
}
