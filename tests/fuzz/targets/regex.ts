/** Regular expressions: bounded whatever they are, and as the platform's own where the dialects agree. */
import { DEFAULT_LIMITS } from "../../../src/expr/mod.ts";
import { Regex } from "../../../src/languages/regex/mod.ts";
import type { Chance } from "../../crash/chance.ts";
import { derive } from "../grammar.ts";
import { REGEX_GRAMMAR, REGEX_TOKENS } from "../grammars/texts.ts";
import { mutate, type Spares } from "../mutate.ts";
import { attempt, expect, type Input, shown, type Target } from "../target.ts";
import { isExpressionError } from "./scope.ts";

const SPARES: Spares = {
  corpus: ["(a+)+$", "^(?<y>\\d{4})-(\\d\\d)$", "(?i)(foo|bar)\\1*"],
  tokens: REGEX_TOKENS,
};
const COMMON = "common";
const ANY = "any";

function generate(chance: Chance): Input {
  const pattern = derive(REGEX_GRAMMAR, "s", chance, 6);
  if (chance.holds(0.5)) {
    return [COMMON, pattern, textOf(chance, ["a", "b", "c", "é", "1", " ", ".", "x"], 14)];
  }
  const corpus = chance.holds(0.3) ? chance.pick(SPARES.corpus) ?? "" : pattern;
  const text = textOf(chance, ["a", "ab", "\n", "\r\n", "é", "😀", "\ud800", "1", " ", "Z"], 300);
  return [ANY, mutate(corpus, chance, SPARES), text];
}

function textOf(chance: Chance, signs: readonly string[], maxLength: number): string {
  const length = Math.floor(chance.next() ** 2 * maxLength);
  return Array.from({ length }, () => chance.pick(signs) ?? "").join("");
}

function check([form = "", pattern = "", text = ""]: Input): void {
  const regex = attempt(() => new Regex(pattern), isExpressionError);
  if (!regex) {
    expect(form !== COMMON, () => `${shown(pattern)} is refused`);
    return;
  }
  // One budget for all calls: together they may take as long as one.
  const budget = { moves: DEFAULT_LIMITS.maxRegexMoves, maxLength: DEFAULT_LIMITS.maxOutputLength };
  const found = attempt(() => regex.find(text, 0, budget), isExpressionError);
  if (found) {
    expect(
      found.start >= 0 && found.end <= text.length && found.groups.length === regex.groupCount + 1,
      () => {
        return `A match at ${found.start}–${found.end} with ${found.groups.length} groups`;
      },
    );
  }
  if (form === COMMON) compare(pattern, text, found && [found.start, found.end]);
  const same = attempt(() => regex.replaceAll(text, "$0", budget), isExpressionError);
  expect(same === undefined || same === text, () => `Replaced by itself: ${shown(same ?? "")}`);
  const parts = attempt(() => regex.split(text, -1, budget), isExpressionError);
  expect(
    parts === undefined || parts.join("").length <= text.length,
    () => "The parts are longer than the text",
  );
}

function compare(pattern: string, text: string, ours: readonly number[] | undefined): void {
  const match = new RegExp(pattern).exec(text);
  const theirs = match ? [match.index, match.index + match[0].length] : undefined;
  expect(
    String(ours) === String(theirs),
    () => `${shown(pattern)} on ${shown(text)}: ${ours}, platform ${theirs}`,
  );
}

/** A form, a pattern, a text. */
export const regexTarget: Target = { name: "regex", generate, check };
