/** Dates: patterns, locales and zones of the filter `date`, and what it is given. */
import { compileTemplate, renderText } from "../../../src/expr/mod.ts";
import type { Chance } from "../../crash/chance.ts";
import { derive } from "../grammar.ts";
import { DATE_GRAMMAR } from "../grammars/texts.ts";
import { mutate, type Spares } from "../mutate.ts";
import { attempt, expect, type Input, type Target } from "../target.ts";
import { fuzzScope, isExpressionError } from "./scope.ts";

const DATES = [
  ..."2024-02-29T23:59:59.123456789Z 2024-03-31T02:30:00+01:00[Europe/Paris] -0001-01-01T00:00:00Z 9999-12-31 10:11"
    .split(" "),
  ..."+999999999-12-31T23:59:59Z 1714979289123 -1 1e21 2024-W05-1 2024-060 2024-02-30 24:00:00 1970-01-01T00:00 20240102"
    .split(" "),
];
const ZONES = "UTC Europe/Paris America/St_Johns +05:30 -18:00 Z GMT+1 Nowhere/None +99:00 Asia/Kathmandu"
  .split(" ");
const LOCALES = "en fr de ar ja-JP pt_BR zh-Hant-TW xx en-US-u-ca-buddhist i-klingon x".split(" ");
const UNITS = "DAYS MONTHS YEARS HOURS NANOS WEEKS CENTURIES FOREVER days X".split(" ");
const AMOUNTS = "1 -1 0 12 100000 2147483648 9007199254740993 -999999999999".split(" ");
const TEMPLATES = [
  "{{ t | date(p, timeZone=z, locale=o) }}",
  "{{ t | date(existingFormat=p, existingTimeZone=z) }}",
  "{{ t | date(p, timeZone=z) | date(existingFormat=p) }}",
  "{{ t | dateAdd(n, u) | date(p, locale=o) }}",
  "{{ t | timestamp(timeZone=z) }}{{ t | timestampMilli }}{{ t | timestampNano }}",
  "{{ now(format=p, timeZone=z) }}",
];
const SPARES: Spares = {
  corpus: [
    ...DATES,
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    "EEEE, d MMMM uuuu G",
    "medium",
    "iso_offset_date_time",
    "[yyyy]['x']",
  ],
  tokens: [..."yyyy MM dd ' '' [ ] T Z XXX OOOO VV - : . ss SSSSSSSSS full long short sql # {".split(" ")],
};

function generate(chance: Chance): Input {
  const text = (texts: readonly string[]) => {
    const picked = chance.pick(texts) ?? "";
    return chance.holds(0.2) ? mutate(picked, chance, SPARES) : picked;
  };
  const pattern = derive(DATE_GRAMMAR, "p", chance, 10);
  const damaged = chance.holds(0.3) ? mutate(pattern, chance, SPARES) : pattern;
  return [
    chance.pick(TEMPLATES) ?? "",
    damaged,
    text(DATES),
    text(ZONES),
    text(LOCALES),
    text(UNITS),
    text(AMOUNTS),
  ];
}

function check([template = "", p = "", t = "", z = "", o = "", u = "", n = ""]: Input): void {
  const amount = Number(n);
  const values = new Map<string, string | number>([["p", p], ["z", z], ["o", o], ["u", u]]);
  values.set("n", Number.isSafeInteger(amount) ? amount : n).set("t", /^-?\d{1,15}$/.test(t) ? Number(t) : t);
  const scope = { ...fuzzScope(), variable: (name: string) => values.get(name) };
  const text = attempt(() => renderText(compileTemplate(template), scope), isExpressionError);
  const isSuspect = (shown: string) => /NaN|undefined|\[object/.test(shown);
  // Words in quotes, which are printed as they are, may say so themselves.
  expect(text === undefined || !isSuspect(text) || isSuspect(p), () => `It renders to ${text}`);
}

/** A template and its six variables. */
export const datesTarget: Target = { name: "dates", generate, check };
