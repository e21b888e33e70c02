/** Reads JSON text value by value, for texts with numbers that `JSON.parse` alone would change. */

/** What becomes of numbers that have a kind of their own. */
export interface NumberReader {
  /** A number with a point or an exponent. */
  readonly fraction: (value: number, source: string | undefined) => unknown;
  /** A whole number beyond 2^53. */
  readonly large: (source: string) => unknown;
}

const TAB = 9, NEWLINE = 10, RETURN = 13, SPACE = 32;
const QUOTE = 34, PLUS = 43, COMMA = 44, MINUS = 45, POINT = 46, ZERO = 48, NINE = 57, COLON = 58;
const UPPER_E = 69, OPEN_LIST = 91, BACKSLASH = 92, CLOSE_LIST = 93, LOWER_E = 101;
const OPEN_OBJECT = 123, CLOSE_OBJECT = 125;
const WORDS: readonly (readonly [string, unknown])[] = [["true", true], ["false", false], ["null", null]];

/** `slice` copies texts of this length. A longer slice would keep the whole text in memory, which `JSON.parse` does not. */
const COPIED_CHARS = 12;
/** Powers of ten that are exact: an exact integer divided by one of them is the nearest double of the decimal. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * The value of a JSON text of any depth. It takes three times as long as `JSON.parse`; a reviver takes nine to thirty times as
 * long, and twice the memory. @throws SyntaxError
 */
export function readJsonText(text: string, numbers: NumberReader): unknown {
  const reader = new JsonReader(text, numbers);
  reader.read(Infinity);
  return reader.value;
}

/** As {@link readJsonText}, with an error of its own; waits for `next` after each `values` values. */
export async function readJsonTextInTurns(
  text: string,
  numbers: NumberReader,
  { values, next }: { readonly values: number; readonly next: () => Promise<void> },
): Promise<unknown> {
  const reader = new JsonReader(text, numbers, false);
  while (!reader.read(values)) await next();
  return reader.value;
}

type Holder = unknown[] | Record<string, unknown>;

/** Where a list or object is a value. */
interface Outer {
  readonly holder: Holder | undefined;
  readonly name: string;
  readonly outer: Outer | undefined;
}

const OUTERMOST: Outer = { holder: undefined, name: "", outer: undefined };

class JsonReader {
  readonly #text: string;
  readonly #numbers: NumberReader;
  readonly #isExplained: boolean;
  #at = 0;
  /** The list or object that is read, and what is around it. */
  #holder: Holder | undefined;
  #name = "";
  #outer: Outer | undefined;
  #value: unknown;

  /** `isExplained`: `JSON.parse` reads the text once more for the message of an error. */
  constructor(text: string, numbers: NumberReader, isExplained = true) {
    this.#text = text;
    this.#numbers = numbers;
    this.#isExplained = isExplained;
  }

  /** The value of the document, once it is read. */
  get value(): unknown {
    return this.#value;
  }

  /** Reads on for that many values; true at the end of the document. */
  read(values: number): boolean {
    let holder = this.#holder, name = this.#name, outer = this.#outer;
    for (let left = values; left > 0; left--) {
      const opened = this.#opened();
      let value: unknown = opened;
      if (opened === undefined) {
        value = this.#scalar();
      } else if (this.#next() === endOf(opened)) {
        this.#at++;
      } else {
        outer = { holder, name, outer };
        holder = opened;
        if (!Array.isArray(holder)) name = this.#memberName();
        continue;
      }
      // Lists and objects that end after the value are values of those around them.
      for (let isEnding = true; isEnding;) {
        if (holder === undefined) return this.#end(value);
        add(holder, name, value);
        const code = this.#next();
        isEnding = code !== COMMA;
        if (isEnding && code !== endOf(holder)) throw this.#failure();
        this.#at++;
        if (isEnding) {
          value = holder;
          ({ holder, name, outer } = outer ?? OUTERMOST);
        } else if (!Array.isArray(holder)) {
          name = this.#memberName();
        }
      }
    }
    [this.#holder, this.#name, this.#outer] = [holder, name, outer];
    return false;
  }

  #failure(): SyntaxError {
    try {
      if (this.#isExplained) JSON.parse(this.#text);
    } catch (error) {
      return error as SyntaxError;
    }
    return new SyntaxError(`Cannot read the JSON at position ${this.#at}`);
  }

  /** The code of the next character that is no space; NaN at the end. */
  #next(): number {
    const text = this.#text;
    let at = this.#at, code = text.charCodeAt(at);
    while (code === SPACE || code === NEWLINE || code === RETURN || code === TAB) {
      code = text.charCodeAt(++at);
    }
    this.#at = at;
    return code;
  }

  #end(value: unknown): true {
    if (!Number.isNaN(this.#next())) throw this.#failure();
    this.#value = value;
    return true;
  }

  /** The list or object that begins here. */
  #opened(): Holder | undefined {
    const code = this.#next();
    if (code !== OPEN_LIST && code !== OPEN_OBJECT) return undefined;
    this.#at++;
    return code === OPEN_LIST ? [] : {};
  }

  #memberName(): string {
    if (this.#next() !== QUOTE) throw this.#failure();
    const name = this.#string();
    if (this.#next() !== COLON) throw this.#failure();
    this.#at++;
    return name;
  }

  #scalar(): unknown {
    const text = this.#text, code = text.charCodeAt(this.#at);
    if (code === QUOTE) return this.#string();
    if (code === MINUS || isDigit(code)) return this.#number();
    const word = WORDS.find(([word]) => text.startsWith(word, this.#at));
    if (!word) throw this.#failure();
    this.#at += word[0].length;
    return word[1];
  }

  #string(): string {
    const text = this.#text, start = this.#at;
    let at = start + 1, isPlain = true;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(++at)) {
      if (!(code >= SPACE)) throw this.#failure();
      if (code !== BACKSLASH) continue;
      isPlain = false;
      at++;
    }
    this.#at = at + 1;
    if (isPlain && at - start <= COPIED_CHARS) return text.slice(start + 1, at);
    try {
      return JSON.parse(text.slice(start, at + 1));
    } catch {
      throw this.#failure();
    }
  }

  #number(): unknown {
    const text = this.#text, start = this.#at;
    const isNegative = text.charCodeAt(start) === MINUS;
    const first = isNegative ? start + 1 : start;
    let digits = this.#digits(first, 0), scale = 0, isFraction = false;
    if (this.#at > first + 1 && text.charCodeAt(first) === ZERO) throw this.#failure();
    if (text.charCodeAt(this.#at) === POINT) {
      const from = this.#at + 1;
      isFraction = true;
      digits = this.#digits(from, digits);
      scale = this.#at - from;
    }
    const code = text.charCodeAt(this.#at);
    if (code === LOWER_E || code === UPPER_E) {
      const sign = text.charCodeAt(this.#at + 1);
      this.#digits(this.#at + (sign === PLUS || sign === MINUS ? 2 : 1), 0);
      isFraction = true;
      scale = POWERS.length;
    }
    const power = POWERS[scale];
    if (digits <= Number.MAX_SAFE_INTEGER && power !== undefined) {
      const value = (isNegative ? -digits : digits) / power;
      return isFraction ? this.#numbers.fraction(value, undefined) : value;
    }
    const source = text.slice(start, this.#at);
    return isFraction ? this.#numbers.fraction(Number(source), source) : this.#numbers.large(source);
  }

  /** The value with digits appended, of which there is at least one; it is exact up to 2^53. */
  #digits(from: number, value: number): number {
    const text = this.#text;
    let at = from;
    for (let code = text.charCodeAt(at); isDigit(code); code = text.charCodeAt(++at)) {
      value = value * 10 + code - ZERO;
    }
    this.#at = at;
    if (at === from) throw this.#failure();
    return value;
  }
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function endOf(holder: Holder): number {
  return Array.isArray(holder) ? CLOSE_LIST : CLOSE_OBJECT;
}

function add(holder: Holder, name: string, value: unknown): void {
  if (Array.isArray(holder)) holder.push(value);
  else if (name !== "__proto__") holder[name] = value;
  else Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}
