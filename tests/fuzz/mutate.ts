/** Small damages to texts, as typing, truncation, copying and ill will do them. */
import type { Chance } from "../crash/chance.ts";

/** Characters that are unlike the others: ends of lines, halves of pairs, signs without width, digits of other scripts. */
const ODD = [
  ..."\u0000\t\r\n\u000b\u0085\u00a0\u2028\u2029\ufeff\u200b\u0301\u0130\u00df\u0663\ud83d\ude00".split(""),
  "\r\n",
  "\u{1f469}\u200d\u{1f680}",
];
const NUMBERS = [
  ..."0 -0 -1 1 2 0.5 1e3 007 0x1f 2147483647 2147483648 -2147483649 9007199254740993 -9223372036854775809"
    .split(" "),
  ..."1e308 1e999 -1e-400 18446744073709551616 100000 .5 5. 1_000 NaN Infinity".split(" "),
];
const NAMES = "__proto__ constructor toString hasOwnProperty prototype __defineGetter__".split(" ");
const MAX_LENGTH = 100_000;

/** What a text is damaged with. */
export interface Spares {
  /** Whole texts of the same kind. */
  readonly corpus: readonly string[];
  /** Words of the language. */
  readonly tokens: readonly string[];
}

type Mutation = (text: string, chance: Chance, spares: Spares) => string;

const MUTATIONS: readonly (readonly [weight: number, mutation: Mutation])[] = [
  [4, (text, chance) => replaceSpan(text, chance, () => "")],
  [6, (text, chance, { tokens }) => replaceSpan(text, chance, () => chance.pick(tokens) ?? "", 0.5)],
  [2, (text, chance) => replaceSpan(text, chance, () => chance.pick(ODD) ?? "", 0.5)],
  [1, (text, chance) => replaceSpan(text, chance, () => chance.pick(NAMES) ?? "", 0.5)],
  [2, (text, chance) => replaceSpan(text, chance, (span) => span.repeat(2))],
  [1, (text, chance) => replaceSpan(text, chance, (span) => repeat(span, chance))],
  [2, replaceNumber],
  [3, splice],
  [1, (text, chance) => text.slice(0, place(text, chance))],
  [1, swapLines],
];

/** The text with a few damages. */
export function mutate(text: string, chance: Chance, spares: Spares): string {
  let mutated = text;
  const count = 1 + Math.floor(chance.next() ** 2 * 5);
  for (let i = 0; i < count; i++) mutated = chance.weighted(MUTATIONS)(mutated, chance, spares);
  return mutated.slice(0, MAX_LENGTH);
}

/** A text of the corpus, or two of them, with a few damages. */
export function mutated(chance: Chance, spares: Spares): string {
  return mutate(chance.pick(spares.corpus) ?? "", chance, spares);
}

function place(text: string, chance: Chance): number {
  return Math.floor(chance.next() * (text.length + 1));
}

/** Short spans are more likely; with `emptiness` the span is nothing, so that something is put between. */
function replaceSpan(
  text: string,
  chance: Chance,
  make: (span: string) => string,
  emptiness = 0,
): string {
  const start = place(text, chance);
  const length = chance.holds(emptiness) ? 0 : 1 + Math.floor(chance.next() ** 4 * 60);
  return text.slice(0, start) + make(text.slice(start, start + length)) + text.slice(start + length);
}

function repeat(span: string, chance: Chance): string {
  const times = Math.floor(2 ** chance.between(2, 13));
  return span.repeat(Math.min(times, Math.ceil(MAX_LENGTH / (span.length + 1))));
}

function replaceNumber(text: string, chance: Chance): string {
  const found = [...text.slice(0, 10_000).matchAll(/\d+/g)];
  const match = chance.pick(found);
  if (!match) return text;
  return text.slice(0, match.index) + chance.pick(NUMBERS) + text.slice(match.index + match[0].length);
}

/** The beginning of this text and the end of another, or the other put into it. */
function splice(text: string, chance: Chance, { corpus }: Spares): string {
  const other = chance.pick(corpus) ?? "";
  const at = place(text, chance), from = place(other, chance);
  const rest = chance.holds(0.5) ? text.slice(at) : "";
  return text.slice(0, at) + other.slice(from, from + Math.floor(2 ** chance.between(1, 10))) + rest;
}

function swapLines(text: string, chance: Chance): string {
  const lines = text.split("\n");
  const from = Math.floor(chance.next() * lines.length), to = Math.floor(chance.next() * lines.length);
  const [line = ""] = lines.splice(from, 1);
  lines.splice(to, 0, line);
  return lines.join("\n");
}
