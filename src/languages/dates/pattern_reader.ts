/** Reads the fields of a date text by the directives of a pattern. */
import { fail } from "../values/mod.ts";
import { monthName, periodName, standaloneMonthName, weekdayName } from "./names.ts";
import type { Directive } from "./pattern.ts";
import { findZone, type Zone } from "./zone.ts";

/** Letters that read a number → the letter under which it is stored. */
const NUMBERS: ReadonlyMap<string, string> = new Map([
  ["y", "y"],
  ["u", "y"],
  ["M", "M"],
  ["L", "M"],
  ["d", "d"],
  ["D", "D"],
  ["H", "H"],
  ["k", "H"],
  ["h", "h"],
  ["K", "h"],
  ["m", "m"],
  ["s", "s"],
  ["n", "S"],
]);
const OFFSET = /[Zz]|GMT(?![+-])|UTC(?![+-])|(?:GMT|UTC)?[+-]\d{1,2}(?::?\d{2}(?::?\d{2})?)?/y;
const REGION = /[A-Za-z][\w/+-]*/y;
const BRACKETED_REGION = /(?:\[[^\]]+\])?/y;
const FRACTION = /\.\d{1,9}/y;

type Field = Directive & { readonly kind: "field" };

/** Reads one text. */
export class PatternReader {
  /** Values by letter: `y` the year, `M` the month, `H` and `h` hours, `a` 1 after noon, `S` nanoseconds. */
  readonly values = new Map<string, number>();
  /** The zone in the text. */
  zone: Zone | undefined;
  readonly #text: string;
  readonly #locale: string;
  #at = 0;

  constructor(text: string, locale: string) {
    this.#text = text;
    this.#locale = locale;
  }

  /** Whether the whole text matches the pattern. @throws ExpressionError `argument` for letters that only print */
  read(items: readonly Directive[]): boolean {
    return this.#items(items) && this.#at === this.#text.length;
  }

  #items(items: readonly Directive[]): boolean {
    return items.every((item, index) => {
      if (item.kind === "optional") return this.#optional(item.items);
      if (item.kind === "field") return this.#field(item, items[index + 1]);
      const isThere = this.#text.startsWith(item.text, this.#at);
      if (isThere) this.#at += item.text.length;
      return isThere;
    });
  }

  #optional(items: readonly Directive[]): boolean {
    const at = this.#at;
    if (!this.#items(items)) this.#at = at;
    return true;
  }

  #field(field: Field, next: Directive | undefined): boolean {
    const { letter, count } = field;
    if (isMonthName(field)) return this.#name("M", this.#monthNames(field));
    const key = NUMBERS.get(letter);
    if (key !== undefined) return this.#number(key, count, next);
    switch (letter) {
      case "S":
        return this.#fraction(new RegExp(`\\d{${count}}`, "y"));
      case "f":
      case "b":
        return this.#fraction(FRACTION) || true;
      case "a":
        return this.#name("a", [0, 12].map((hour) => periodName(hour, this.#locale)));
      case "E":
        return this.#name("E", this.#weekdayNames(count));
      case "r":
        return this.#match(BRACKETED_REGION) !== undefined;
      case "X":
      case "x":
      case "Z":
      case "O":
      case "t":
        return this.#zone(OFFSET);
      case "V":
      case "z":
        return this.#zone(OFFSET) || this.#zone(REGION);
      default:
        return fail("argument", `Cannot read a date with the letter "${letter}"`);
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at += match[0].length;
    return match?.[0];
  }

  /** A number followed by another has as many digits as letters; else a single letter and `yyyy` take all digits. */
  #number(key: string, count: number, next: Directive | undefined): boolean {
    const isNumberNext = next?.kind === "field" && !isMonthName(next) &&
      (NUMBERS.has(next.letter) || next.letter === "S");
    const isOpen = !isNumberNext && (count === 1 || key === "y" && count >= 4);
    const digits = this.#match(new RegExp(`\\d{${count},${isOpen ? Math.max(count, 9) : count}}`, "y"));
    if (digits === undefined) return false;
    const value = Number(digits) + (key === "y" && count === 2 ? 2000 : 0);
    this.values.set(key, key === "H" && value === 24 ? 0 : value);
    return true;
  }

  #fraction(pattern: RegExp): boolean {
    const digits = this.#match(pattern);
    if (digits === undefined) return false;
    this.values.set("S", Number(digits.replace(".", "").padEnd(9, "0").slice(0, 9)));
    return true;
  }

  #zone(pattern: RegExp): boolean {
    const id = this.#match(pattern);
    if (id !== undefined) this.zone = findZone(id);
    return id !== undefined;
  }

  #monthNames({ letter, count }: Field): string[] {
    const width = count === 3 ? "short" : "long";
    const name = letter === "M" ? monthName : standaloneMonthName;
    return Array.from({ length: 12 }, (_, index) => name(index + 1, width, this.#locale));
  }

  #weekdayNames(count: number): string[] {
    const width = count <= 3 ? "short" : "long";
    return Array.from({ length: 7 }, (_, index) => weekdayName(index + 1, width, this.#locale));
  }

  /** Reads the longest of the names; months count from 1, the others from 0. */
  #name(key: string, names: readonly string[]): boolean {
    let best = -1;
    names.forEach((name, index) => {
      const isThere = this.#text.startsWith(name, this.#at);
      if (isThere && name.length > (names[best]?.length ?? 0)) best = index;
    });
    if (best < 0) return false;
    this.#at += (names[best] as string).length;
    this.values.set(key, key === "M" ? best + 1 : best);
    return true;
  }
}

function isMonthName({ letter, count }: Field): boolean {
  return (letter === "M" || letter === "L") && count >= 3;
}
