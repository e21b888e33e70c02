/** Where lines and texts end, as Java has it: `\r\n` is one line break. Results are those of Java 17. */
import { assertEquals } from "@std/assert";
import { Regex } from "../../../src/languages/regex/mod.ts";

/** A pattern, a text, and the text with `|` in place of each match. */
type Row = readonly [pattern: string, text: string, replaced: string];

const ROWS: readonly Row[] = [
  ["^", "a\nb\n", "|a\nb\n"],
  ["(?m)^", "a\nb\n", "|a\n|b\n"],
  ["(?m)^", "a\r\nb\r\n", "|a\r\n|b\r\n"],
  ["(?m)^", "a\u0085b\u2028c\rd", "|a\u0085|b\u2028|c\r|d"],
  ["(?m)^", "\n\r", "|\n|\r"],
  ["(?m)^", "", ""],
  ["(?m)$", "a\r\nb\r\n", "a|\r\nb|\r\n|"],
  ["(?m)$", "a\n\nb", "a|\n|\nb|"],
  ["(?m)$", "\n\r", "|\n|\r|"],
  ["(?m)^$", "a\n\nb\n\n", "a\n|\nb\n|\n"],
  ["(?m)^\\s*$", "a\r\n\r\n", "a\r\n|"],
  ["$", "a\r\nb\r\n", "a\r\nb|\r\n|"],
  ["$", "a\n\r", "a\n|\r|"],
  ["\\Z", "a\r\nb\r\n", "a\r\nb|\r\n|"],
  ["\\z", "a\r\n", "a\r\n|"],
  ["(?s).$", "a\r\n", "|\r|"],
  ["(?m).$", "a\r\nb", "|\r\n|"],
  ["\\R", "a\r\nb\nc", "a|b|c"],
  ["\\R", "a\n\nb\r\n\r\n", "a||b||"],
  ["\\R", "a\u0085b\u2028\n\r", "a|b|||"],
  ["\\R+", "a\r\n\r\nb", "a|b"],
  ["\\R{2}", "\r\n", "\r\n"],
  ["\\R{2}", "a\r\n\r\n", "a|"],
  ["\\R?\\n", "x\r\n", "x\r|"],
  ["(?:\\R){2,}", "a\r\nb\r\n\r\nc", "a\r\nb|c"],
  ["[^\\n]\\R", "a\r\n", "|"],
];

/** Patterns that need backtracking. */
const BRANCHING: readonly Row[] = [
  ["(?>\\R)\\n", "\r\n", "\r\n"],
  ["\\R++\\n", "\r\n", "\r\n"],
  ["(?<=\\R)b", "a\r\nb", "a\r\n|"],
];

for (const [pattern, text, replaced] of [...ROWS, ...BRANCHING]) {
  Deno.test(`Regex.replaceAll() ${pattern} in ${JSON.stringify(text)} gives ${JSON.stringify(replaced)}`, () => {
    const replace = (source: string) =>
      new Regex(source).replaceAll(text, "|", { moves: 10_000, maxLength: 100 });
    assertEquals(replace(pattern), replaced);
    // A look-around makes the other engine run the pattern.
    assertEquals(replace(`(?=)${pattern}`), replaced);
  });
}
