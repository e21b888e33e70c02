/**
 * Time-ordered ids: 22 characters, base62 in ASCII order. The first is an upper-case letter, so that no id is a namespace.
 * Storing ordered ids costs an eighth of random ones: each new key goes to the last page.
 */
import type { Instant } from "./time/clock.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANGE_7 = 62 ** 7;
const RANGE_6 = 62 ** 6;
const RANDOM_LENGTH = 11;
const COUNTER_MAX = 0xffff;
/** Value of each digit by character code; 0 for other characters. */
const DIGITS = Uint8Array.from(
  { length: 128 },
  (_, code) => Math.max(0, ALPHABET.indexOf(String.fromCharCode(code))),
);

/** Length of an id. */
export const ID_LENGTH = 22;

/** Fills a buffer with random bytes, as `crypto.getRandomValues` does. */
export type RandomBytes = (buffer: Uint8Array<ArrayBuffer>) => void;

/** Random bytes of the platform. */
export const systemRandomBytes: RandomBytes = (buffer) => void crypto.getRandomValues(buffer);

/** True for the text of an id: 22 base62 characters, the first an upper-case letter. */
export function isId(text: string): boolean {
  return /^[A-Z][0-9A-Za-z]{21}$/.test(text);
}

/** Generates ids in strictly ascending order, even when the clock goes back. */
export class IdSource {
  readonly #randomBytes: RandomBytes;
  readonly #pool = new Uint8Array(4096);
  #used = this.#pool.length;
  #lastMs = 0;
  #counter = 0;

  constructor(randomBytes: RandomBytes = systemRandomBytes) {
    this.#randomBytes = randomBytes;
  }

  /** The next id; its time is `now`, or that of the last id when the clock went back. */
  next(now: Instant): string {
    if (now > this.#lastMs) {
      this.#lastMs = now;
      this.#counter = 0;
    } else if (++this.#counter > COUNTER_MAX) {
      this.#lastMs++;
      this.#counter = 0;
    }
    return idPrefix(this.#lastMs, this.#counter) + this.#randomDigits();
  }

  #randomDigits(): string {
    let text = "";
    while (text.length < RANDOM_LENGTH) {
      if (this.#used === this.#pool.length) {
        this.#randomBytes(this.#pool);
        this.#used = 0;
      }
      const byte = this.#pool[this.#used++] as number;
      if (byte < 248) text += ALPHABET[byte % 62]; // 248 = 4 × 62: larger bytes would make low digits more likely
    }
    return text;
  }
}

/** The first 11 characters of an id: its time and counter. Ids of a time range lie between two such prefixes. */
export function idPrefix(ms: number, counter = 0): string {
  const high = Math.floor(ms / RANGE_7);
  return String.fromCharCode(65 + high) + toBase62(ms % RANGE_7, 7) + toBase62(counter, 3);
}

/** The time of an id. */
export function idTime(id: string): Instant {
  return (id.charCodeAt(0) - 65) * RANGE_7 + fromBase62(id.slice(1, 8));
}

/** The id of a task run: the first 16 characters of its execution's id, then its ordinal. */
export function taskRunId(executionId: string, ordinal: number): string {
  return executionId.slice(0, 16) + toBase62(ordinal + 1, 6);
}

/** The ordinal of a task run; `undefined` when the id is not of a task run of that execution. */
export function taskRunOrdinal(executionId: string, id: string): number | undefined {
  if (!isId(id) || !id.startsWith(executionId.slice(0, 16))) return undefined;
  const number = fromBase62(id.slice(16));
  return number >= 1 && number < RANGE_6 ? number - 1 : undefined;
}

/** `value` in base62, ASCII order, padded to `length` digits. */
export function toBase62(value: number, length: number): string {
  let text = "";
  let rest = value;
  for (let i = 0; i < length; i++) {
    text = ALPHABET[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** The number written by {@link toBase62}. */
export function fromBase62(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i++) value = value * 62 + (DIGITS[text.charCodeAt(i)] ?? 0);
  return value;
}
