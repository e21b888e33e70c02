/** Searches packed ids for a substring, ignoring case, without decoding them to text. */
import { toBase62 } from "../../../base/id.ts";

const BASE = 62;
const RANGE_2 = BASE ** 2;
const RANGE_3 = BASE ** 3;
const RANGE_7 = BASE ** 7;
/** The digit of the letter A, the first letter of all ids until 2081 (62^7 ms). */
const FIRST_LETTER = 10;

/**
 * Shift-And (Baeza-Yates and Gonnet): bit i of the state is set when the first i + 1 characters of the word end here. Two
 * more bits mean that the word ended one or two digits ago. A row yields two or three digits at a time, so a table holds
 * the masks of all triples; building it takes 1 ms. A search takes 15 ns per id; decoding the id to text would take 80 ns.
 */
export class IdSearch {
  readonly #digits: Uint32Array;
  readonly #pairs = new Uint32Array(RANGE_2);
  /** 16 bits wide for short words, so that it fits into the processor cache. */
  readonly #triples: Uint16Array | Uint32Array;
  readonly #hit: number;
  #time = -1;
  #timeState = 0;
  #timeHit = 0;
  /** The first millisecond with the same digits but the last three. */
  #top = -RANGE_3;
  #topState = 0;
  #topHit = 0;

  /** The word must satisfy {@link isPossible}. */
  constructor(word: string) {
    const length = word.length;
    this.#hit = 7 << length - 1;
    this.#triples = length + 2 <= 16 ? new Uint16Array(RANGE_3) : new Uint32Array(RANGE_3);
    this.#digits = masksOf(word.toLowerCase());
    const ones = this.#digits.map((mask) => mask << 1 | 1);
    const twos = this.#digits.map((mask) => mask << 2 | 3);
    for (let high = 0, pair = 0; high < BASE; high++) {
      for (let low = 0; low < BASE; low++) {
        this.#pairs[pair++] = (ones[high] as number) & (this.#digits[low] as number);
      }
    }
    for (let first = 0, triple = 0; first < BASE; first++) {
      const mask = twos[first] as number;
      for (let pair = 0; pair < RANGE_2; pair++) {
        this.#triples[triple++] = mask & (this.#pairs[pair] as number);
      }
    }
  }

  /** False when no id contains the word. */
  static isPossible(word: string): boolean {
    return /^[0-9A-Za-z]{1,22}$/.test(word);
  }

  /** True when the id at `words[at]` contains the word. */
  matches(words: Uint32Array, at: number): boolean {
    const w1 = words[at + 1] as number;
    const w2 = words[at + 2] as number;
    const ms = (words[at] as number) * 0x4000 + (w1 >>> 18);
    if (ms !== this.#time) this.#readTime(ms);
    if (this.#timeHit !== 0) return true;
    const triples = this.#triples;
    const afterCounter = (this.#timeState << 3 | 7) & (triples[w1 >>> 2 & 0xffff] as number);
    const high = (w1 & 3) << 28 | w2 >>> 4;
    const highTop = high / RANGE_3 | 0;
    const afterTop = (afterCounter << 2 | 3) & (this.#pairs[highTop] as number);
    const afterHigh = (afterTop << 3 | 7) & (triples[high - highTop * RANGE_3] as number);
    const low = (w2 & 15) * 0x1_0000_0000 + (words[at + 3] as number);
    const lowTop = Math.floor(low / RANGE_3);
    const afterLow = (afterHigh << 3 | 7) & (triples[lowTop] as number);
    const last = (afterLow << 3 | 7) & (triples[low - lowTop * RANGE_3] as number);
    return ((afterCounter | afterTop | afterHigh | afterLow | last) & this.#hit) !== 0;
  }

  /** The leading digits of the time, all but the last three, change only every four minutes and are cached. */
  #readTime(ms: number): void {
    let rest = ms - this.#top;
    if (rest < 0 || rest >= RANGE_3) {
      this.#readTop(ms);
      rest = ms - this.#top;
    }
    this.#time = ms;
    this.#timeState = (this.#topState << 3 | 7) & (this.#triples[rest] as number);
    this.#timeHit = (this.#topHit | this.#timeState) & this.#hit;
  }

  #readTop(ms: number): void {
    const century = Math.floor(ms / RANGE_7);
    const top = Math.floor((ms - century * RANGE_7) / RANGE_3);
    const first = Math.floor(top / RANGE_3);
    // At the first character only the first bit can be set.
    const afterLetter = 1 & (this.#digits[FIRST_LETTER + century] as number);
    const afterFirst = (afterLetter << 1 | 1) & (this.#digits[first] as number);
    this.#top = century * RANGE_7 + top * RANGE_3;
    this.#topState = (afterFirst << 3 | 7) & (this.#triples[top - first * RANGE_3] as number);
    this.#topHit = afterLetter | afterFirst | this.#topState;
  }
}

/** For each digit the positions in the word. The two bits after the word are set for every digit. */
function masksOf(word: string): Uint32Array {
  return Uint32Array.from({ length: BASE }, (_, digit) => {
    const character = toBase62(digit, 1).toLowerCase();
    let mask = 3 << word.length;
    for (let i = 0; i < word.length; i++) if (word[i] === character) mask |= 1 << i;
    return mask;
  });
}
