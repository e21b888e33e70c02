/** Random patterns: both engines find what the platform's own finds, where the dialects agree. */
import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { Regex } from "../../../src/languages/regex/mod.ts";

const RUNS = 20_000;
const BUDGET = { maxLength: 1e6 };
const ATOMS = ["a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "(?:ab|a)", "(a|b)", "(?i)A"];
const PLACES = ["\\b", "\\B", "^", "$"];
const LOOKS = ["(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?=(?:ab)+)"];
const QUANTIFIERS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?"];

interface Pattern {
  readonly source: string;
  /** It may match nothing: repeating it is where the dialects part. */
  readonly isNullable: boolean;
}

function patterns(places: readonly string[]): fc.Arbitrary<string> {
  const atom = fc.constantFrom(...ATOMS).map((source): Pattern => ({ source, isNullable: false }));
  const place = fc.constantFrom(...places).map((source): Pattern => ({ source, isNullable: true }));
  return fc.letrec<{ pattern: Pattern }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      atom,
      place,
      fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => ({
        source: a.source + b.source,
        isNullable: a.isNullable && b.isNullable,
      })),
      fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => ({
        source: `(?:${a.source}|${b.source})`,
        isNullable: a.isNullable || b.isNullable,
      })),
      fc.tuple(tie("pattern"), fc.constantFrom(...QUANTIFIERS)).map(([body, sign]) =>
        body.isNullable ? body : {
          source: `(?:${body.source})${sign}`,
          isNullable: /[*?0]/.test(sign[0] === "{" ? sign[1] ?? "" : sign[0] ?? ""),
        }
      ),
    ),
  })).pattern.map(({ source }) => source);
}

const texts = fc.stringMatching(/^[abA1 ]{0,12}$/);

/** Start and end of the first match, as the platform sees it; a flag in the midst is not of its dialect. */
function platformMatch(pattern: string, text: string): readonly number[] | undefined {
  const match = new RegExp(pattern.replaceAll("(?i)A", "[aA]")).exec(text);
  return match ? [match.index, match.index + match[0].length] : undefined;
}

function match(pattern: string, text: string): readonly number[] | undefined {
  const found = new Regex(pattern.replaceAll("(?i)A", "(?i:A)")).find(text, 0, { ...BUDGET, moves: 1e6 });
  return found && [found.start, found.end];
}

function matchWithinMoves(pattern: string, text: string): readonly number[] | undefined | "too many moves" {
  try {
    return match(pattern, text);
  } catch (error) {
    if (error instanceof ExpressionError && error.message.includes("too many moves")) return "too many moves";
    throw error;
  }
}

Deno.test("Regex.find() agrees with the platform on patterns of linear time", () => {
  fc.assert(
    fc.property(patterns(PLACES), texts, (pattern, text) => {
      assertEquals(
        match(pattern, text),
        platformMatch(pattern, text),
        `${pattern} on ${JSON.stringify(text)}`,
      );
    }),
    { numRuns: RUNS, verbose: 1 },
  );
});

Deno.test("Regex.find() agrees with the platform on patterns with look-around", () => {
  fc.assert(
    fc.property(patterns([...PLACES, ...LOOKS]), texts, (pattern, text) => {
      const ours = matchWithinMoves(`(?=)${pattern}`, text);
      if (ours === "too many moves") return; // Backtracking may take exponential time: that it is bounded is the point.
      assertEquals(ours, platformMatch(pattern, text), `${pattern} on ${JSON.stringify(text)}`);
    }),
    { numRuns: RUNS, verbose: 1 },
  );
});
