/**
 * Finds the cells of a row in its bytes: `{"a":1,"b":"x"}` without spaces, escapes or nested values. Only values are accepted
 * whose field of CSV has the same bytes as their text in JSON or Ion.
 */

const [QUOTE, BACKSLASH, MINUS, PLUS, POINT, COLON] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x3a];
const [DIGIT_0, DIGIT_9, LETTER_T, LETTER_Z] = [0x30, 0x39, 0x54, 0x5a];
const ASCII = new TextEncoder();
const [NULL_TEXT, TRUE_TEXT, FALSE_TEXT] = [
  ASCII.encode("null"),
  ASCII.encode("true"),
  ASCII.encode("false"),
];
/** Digits of a number whose double has the same ones. */
const MAX_DECIMAL_DIGITS = 15;
/** Digits before the point of a double that is printed without an exponent, and zeros after it. */
const [MAX_WHOLE_DIGITS, MAX_ZEROS] = [7, 2];
const MAX_INTEGER_DIGITS = 1_000;

/** The cells of one line at a time; nothing is allocated for a line. */
export class FieldScanner {
  /** Where the fields begin and end. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** 1 where a field holds the separator. */
  readonly needsQuotes: number[] = [];
  count = 0;
  readonly #separator: number;
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;
  #end = 0;

  constructor(separator: number) {
    this.#separator = separator;
  }

  /** Goes to the begin of a line. */
  begin(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.count = 0;
  }

  /** Whether the line is read completely. */
  get isAtEnd(): boolean {
    return this.#at === this.#end;
  }

  /** Skips a text. */
  name(text: Uint8Array | undefined): boolean {
    return text !== undefined && this.#skip(text);
  }

  /** Skips one byte. */
  sign(byte: number): boolean {
    return this.#at < this.#end && this.#bytes[this.#at++] === byte;
  }

  /** Reads a cell. */
  value(): boolean {
    const first = this.#bytes[this.#at] ?? 0;
    if (first === QUOTE) return this.#string();
    const start = this.#at;
    if (first === MINUS || isDigit(first)) {
      return this.#isTimestamp() ? this.#add(start, this.#at, 0) : this.#number(start);
    }
    if (this.#skip(NULL_TEXT)) return this.#add(start, start, 0);
    return (this.#skip(TRUE_TEXT) || this.#skip(FALSE_TEXT)) && this.#add(start, this.#at, 0);
  }

  #string(): boolean {
    const bytes = this.#bytes, end = this.#end, separator = this.#separator;
    const start = ++this.#at;
    let at = start, needsQuotes = 0;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) break;
      if (byte < 0x20 || byte === BACKSLASH) return false;
      if (byte === separator) needsQuotes = 1;
    }
    this.#at = at + 1;
    return at < end && this.#add(start, at, needsQuotes);
  }

  /** An integer, or a decimal that is printed with the same digits, but for zeros at its end. */
  #number(start: number): boolean {
    const whole = start + (this.#bytes[start] === MINUS ? 1 : 0);
    const point = this.#digitsFrom(whole);
    const size = point - whole, isZero = this.#bytes[whole] === DIGIT_0;
    if (size === 0 || size > 1 && isZero) return false;
    if (this.#bytes[point] !== POINT) {
      this.#at = point;
      // -0 is 0.
      return size <= MAX_INTEGER_DIGITS && !(isZero && whole > start) && this.#add(start, point, 0);
    }
    this.#at = this.#digitsFrom(point + 1);
    const end = this.#withoutZeros(point + 2, this.#at);
    const isSmall = isZero && this.#zerosFrom(point + 1) > MAX_ZEROS;
    if (this.#at === point + 1 || isSmall || size > MAX_WHOLE_DIGITS || end - whole > MAX_DECIMAL_DIGITS) {
      return false;
    }
    return this.#add(start, end, 0);
  }

  /** `2024-02-29T10:11:12.5+01:00`, also without seconds or their fraction, or a day alone. */
  #isTimestamp(): boolean {
    const start = this.#at;
    if (!this.#has(start, "0000-00-00")) return false;
    this.#at = start + 10;
    if (this.#bytes[this.#at] !== LETTER_T) return true;
    if (!this.#has(this.#at, "T00:00")) return false;
    let at = start + 16;
    if (this.#bytes[at] === COLON) {
      if (!this.#has(at, ":00")) return false;
      at += 3;
      if (this.#bytes[at] === POINT) {
        const fraction = at + 1;
        at = this.#digitsFrom(fraction);
        if (at === fraction) return false;
      }
    }
    const sign = this.#bytes[at];
    const hasOffset = (sign === PLUS || sign === MINUS) && this.#has(at + 1, "00:00");
    this.#at = at + (hasOffset ? 6 : 1);
    return hasOffset || sign === LETTER_Z;
  }

  /** Whether the text follows there; `0` stands for any digit. */
  #has(start: number, text: string): boolean {
    if (start + text.length > this.#end) return false;
    for (let index = 0; index < text.length; index++) {
      const byte = this.#bytes[start + index] ?? 0, wanted = text.charCodeAt(index);
      if (wanted === DIGIT_0 ? !isDigit(byte) : byte !== wanted) return false;
    }
    return true;
  }

  #digitsFrom(start: number): number {
    let at = start;
    while (at < this.#end && isDigit(this.#bytes[at] ?? 0)) at++;
    return at;
  }

  #zerosFrom(start: number): number {
    let at = start;
    while (at < this.#end && this.#bytes[at] === DIGIT_0) at++;
    return at - start;
  }

  /** The end of a fraction without its last zeros; the first digit stays. */
  #withoutZeros(least: number, end: number): number {
    let at = end;
    while (at > least && this.#bytes[at - 1] === DIGIT_0) at--;
    return at;
  }

  #skip(text: Uint8Array): boolean {
    const at = this.#at;
    if (at + text.length > this.#end) return false;
    for (let index = 0; index < text.length; index++) {
      if (this.#bytes[at + index] !== text[index]) return false;
    }
    this.#at = at + text.length;
    return true;
  }

  #add(start: number, end: number, needsQuotes: number): boolean {
    const index = this.count++;
    this.starts[index] = start;
    this.ends[index] = end;
    this.needsQuotes[index] = needsQuotes;
    return true;
  }
}

function isDigit(byte: number): boolean {
  return byte >= DIGIT_0 && byte <= DIGIT_9;
}
