/** Java date patterns → directives, and the named formats. */
import { fail } from "../values/mod.ts";

/**
 * A part of a pattern: a text, a repeated letter, or an optional section. A field with a width is padded with spaces on the
 * left.
 */
export type Directive =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly letter: string; readonly count: number; readonly width?: number }
  | { readonly kind: "optional"; readonly items: readonly Directive[] };

/** A pattern, or a style of the locale. */
export type DateFormat =
  | {
    readonly kind: "pattern";
    readonly items: readonly Directive[];
    readonly isUtc?: boolean;
    readonly isEnglish?: boolean;
  }
  | { readonly kind: "style"; readonly style: "full" | "long" | "medium" | "short" };

/** The letters, and how often each may be repeated. */
const LETTERS: ReadonlyMap<string, RegExp> = new Map([
  ...entries("uyYgAnN", /^.{1,19}$/),
  ...entries("S", /^.{1,9}$/),
  ...entries("GMLQqEeXxZ", /^.{1,5}$/),
  ...entries("z", /^.{1,4}$/),
  ...entries("D", /^.{1,3}$/),
  ...entries("dwhKkHms", /^.{1,2}$/),
  ...entries("WFa", /^.$/),
  ...entries("c", /^(?:.|.{3,5})$/),
  ...entries("B", /^(?:.|.{4,5})$/),
  ...entries("Ov", /^(?:.|.{4})$/),
  ...entries("V", /^.{2}$/),
]);
/**
 * Internal letters, for what only named formats print: `f` shortest fraction, `b` fraction in groups of three, `r` region
 * in brackets, `t` `GMT` or an offset, `i` `j` `l` ISO week year, week and day.
 */
const OWN_LETTERS: ReadonlyMap<string, RegExp> = new Map(entries("fbrtijl", /^/));
/** Characters that Java reserves. */
const RESERVED = /[{}#]/;
const MAX_PATTERN_LENGTH = 200;

const LOCAL_TIME = "HH:mm:ssf";
const LOCAL_DATE_TIME = `yyyy-MM-dd'T'${LOCAL_TIME}`;

const NAMED_FORMATS: ReadonlyMap<string, DateFormat> = new Map<string, DateFormat>([
  ["iso", named("yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX")],
  ["iso_milli", named("yyyy-MM-dd'T'HH:mm:ss.SSSXXX")],
  ["iso_sec", named("yyyy-MM-dd'T'HH:mm:ssXXX")],
  ["sql", named("yyyy-MM-dd HH:mm:ss.SSSSSS")],
  ["sql_milli", named("yyyy-MM-dd HH:mm:ss.SSS")],
  ["sql_seq", named("yyyy-MM-dd HH:mm:ss")],
  ["iso_instant", { ...named("yyyy-MM-dd'T'HH:mm:ssbX"), isUtc: true }],
  ["iso_date_time", named(`${LOCAL_DATE_TIME}XXXr`)],
  ["iso_zoned_date_time", named(`${LOCAL_DATE_TIME}XXXr`)],
  ["iso_local_date_time", named(LOCAL_DATE_TIME)],
  ["iso_local_date", named("yyyy-MM-dd")],
  ["iso_local_time", named(LOCAL_TIME)],
  ["iso_time", named(`${LOCAL_TIME}XXX`)],
  ["iso_offset_time", named(`${LOCAL_TIME}XXX`)],
  ["iso_date", named("yyyy-MM-ddXXX")],
  ["iso_ordinal_date", named("yyyy-DDDXXX")],
  ["iso_week_date", named("iiii-'W'jj-lXXX")],
  ["rfc_1123_date_time", { ...named("EEE, d MMM yyyy HH:mm:ss t"), isEnglish: true }],
  ["full", { kind: "style", style: "full" }],
  ["long", { kind: "style", style: "long" }],
  ["medium", { kind: "style", style: "medium" }],
  ["short", { kind: "style", style: "short" }],
]);

function entries(letters: string, counts: RegExp): [string, RegExp][] {
  return [...letters].map((letter) => [letter, counts]);
}

function named(pattern: string): DateFormat & { kind: "pattern" } {
  return { kind: "pattern", items: readPattern(pattern, OWN_LETTERS) };
}

/** The format of a name, else of a Java pattern. @throws ExpressionError `argument` */
export function findFormat(text: string): DateFormat {
  if (text.length > MAX_PATTERN_LENGTH) fail("argument", "Cannot use a date pattern that long");
  return NAMED_FORMATS.get(text) ?? { kind: "pattern", items: readPattern(text) };
}

/** Letters that print a name, or numbers by the weeks of a locale, and those that print the name of a zone. */
const NAME_LETTERS = /[GMLQqEecaBYwW]/, ZONE_LETTERS = /[zv]/;
/** Steps of a name, some 3 µs, and of the name of a zone, which tries several locales; reading tries all names. */
const NAME_STEPS = 3, ZONE_STEPS = 16, READ_NAMES = 8;

/** Steps that printing a date takes beyond a few; with `isRead` reading one. */
export function formatSteps(format: DateFormat, isRead = false): number {
  if (format.kind === "style") return 2 * ZONE_STEPS;
  return stepsOfItems(format.items) * (isRead ? READ_NAMES : 1);
}

function stepsOfItems(items: readonly Directive[]): number {
  let steps = items.length >>> 3;
  for (const item of items) {
    if (item.kind === "optional") steps += stepsOfItems(item.items);
    else if (item.kind === "field" && ZONE_LETTERS.test(item.letter)) steps += ZONE_STEPS;
    else if (item.kind === "field" && NAME_LETTERS.test(item.letter) && !isMonthNumber(item)) {
      steps += NAME_STEPS;
    }
  }
  return steps;
}

function isMonthNumber({ letter, count }: Directive & { kind: "field" }): boolean {
  return (letter === "M" || letter === "L") && count <= 2;
}

function readPattern(pattern: string, ownLetters?: ReadonlyMap<string, RegExp>): Directive[] {
  const stack: Directive[][] = [[]];
  const push = (directive: Directive) => void stack.at(-1)?.push(directive);
  for (const [token] of pattern.matchAll(/'(?:[^']|'')*'|(?:p+(?=([A-Zac-oq-z])))?([A-Za-z])\2*|[\s\S]/g)) {
    const letter = token[0] as string;
    if (letter === "'") push({ kind: "text", text: quoted(token, pattern) });
    else if (letter === "[") stack.push([]);
    else if (letter === "]") closeOptional(stack, pattern);
    else if (RESERVED.test(letter)) refuse(pattern, `unexpected "${letter}"`);
    else if (!/[A-Za-z]/.test(letter)) push({ kind: "text", text: token });
    else push(readField(token, pattern, ownLetters));
  }
  if (stack.length > 1) refuse(pattern, 'unclosed "["');
  return stack[0] as Directive[];
}

/** A repeated letter, after any `p`s for the width. */
function readField(token: string, pattern: string, ownLetters?: ReadonlyMap<string, RegExp>): Directive {
  const letters = token.replace(/^p+/, "");
  const letter = letters[0] ?? "p";
  const counts = LETTERS.get(letter) ?? ownLetters?.get(letter) ??
    refuse(pattern, `unknown letter "${letter}"`);
  if (!counts.test(letters)) refuse(pattern, `"${letter}" ${letters.length} times`);
  const width = token.length - letters.length;
  const field = { kind: "field", letter, count: letters.length } as const;
  return width === 0 ? field : { ...field, width };
}

function quoted(token: string, pattern: string): string {
  if (token.length < 2) refuse(pattern, "unclosed quote");
  return token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'");
}

function closeOptional(stack: Directive[][], pattern: string): void {
  const items = stack.pop() as Directive[];
  const outer = stack.at(-1) ?? refuse(pattern, 'unexpected "]"');
  outer.push({ kind: "optional", items });
}

function refuse(pattern: string, reason: string): never {
  return fail("argument", `Cannot use the date pattern "${pattern}": ${reason}`);
}
