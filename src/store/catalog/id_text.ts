/** The text of ids, lower-cased, for searching a million of them without making strings. */
import { ID_LENGTH, toBase62 } from "../../base/id.ts";

const RANGE_7 = 62 ** 7;
const LOWER_DIGITS = Uint8Array.from(
  { length: 62 },
  (_, digit) => toBase62(digit, 1).toLowerCase().charCodeAt(0),
);

/** Holds the text of one id at a time. */
export class IdText {
  readonly #codes = new Uint8Array(ID_LENGTH);
  #time = -1;

  /** What to look for, or nothing when no id can contain the word. */
  static pattern(word: string): Uint8Array | undefined {
    const lower = word.toLowerCase();
    if (!/^[0-9a-z]{1,22}$/.test(lower)) return undefined;
    return Uint8Array.from(lower, (character) => character.charCodeAt(0));
  }

  /** Takes the id whose words are at `at`. */
  read(words: Uint32Array, at: number): void {
    const w1 = words[at + 1] as number;
    const w2 = words[at + 2] as number;
    const ms = (words[at] as number) * 0x4000 + (w1 >>> 18);
    // Neighbours were made within the same few milliseconds.
    if (ms !== this.#time) this.#readTime(ms);
    this.#write(w1 >>> 2 & 0xffff, 8, 11);
    this.#write((w1 & 3) << 28 | w2 >>> 4, 11, 16);
    const low = (w2 & 15) * 0x1_0000_0000 + (words[at + 3] as number);
    const top = Math.floor(low / 238_328); // 62^3: halves that fit 32-bit division
    this.#write(top, 16, 19);
    this.#write(low - top * 238_328, 19, 22);
  }

  /** Whether the text contains the pattern. */
  includes(pattern: Uint8Array): boolean {
    const codes = this.#codes;
    const length = pattern.length;
    const first = pattern[0];
    for (let from = 0; from <= ID_LENGTH - length; from++) {
      if (codes[from] !== first) continue;
      let i = 1;
      while (i < length && codes[from + i] === pattern[i]) i++;
      if (i === length) return true;
    }
    return false;
  }

  #readTime(ms: number): void {
    this.#time = ms;
    const high = Math.floor(ms / RANGE_7);
    this.#codes[0] = 97 + high;
    let rest = ms % RANGE_7;
    for (let i = 7; i >= 1; i--) {
      const next = Math.floor(rest / 62);
      this.#codes[i] = LOWER_DIGITS[rest - next * 62] as number;
      rest = next;
    }
  }

  #write(value: number, from: number, to: number): void {
    let rest = value;
    for (let i = to - 1; i >= from; i--) {
      const next = rest / 62 | 0;
      this.#codes[i] = LOWER_DIGITS[rest - next * 62] as number;
      rest = next;
    }
  }
}
