import { assertEquals, assertMatch } from "@std/assert";
import { patternProblem } from "../../../src/model/executions/name_pattern.ts";

for (
  const pattern of [
    "^a.*b$",
    "(?:dev|prod)\\.x",
    "team[0-9]{1,3}",
    ".*foo.*bar.*",
    "^.*\\.(dev|prod|test)\\..*$",
    "a+b+",
    "(?<n>x)",
    "[(*+]x",
    "\\(a*",
    "a.?b",
  ]
) {
  Deno.test(`patternProblem() finds nothing wrong with ${pattern}`, () => {
    assertEquals(patternProblem(pattern), undefined);
  });
}

for (
  const pattern of [
    "(a+)+",
    "(?:a|a)*",
    "((a*)b)+",
    "(a?){50}",
    "a{21}",
    "a*a*a*b",
    "a+a+a+a?a?a?a?a?b",
    `${"(a|a)".repeat(7)}b`,
    "a*a*a*a*b",
    "(a)\\1",
    "(?=a)b",
    "(?<!a)b",
    "a?a?a?a?a?a?a?a?a?",
    "x".repeat(201),
    "[",
    "(?:(?:a|b)c)*",
  ]
) {
  Deno.test(`patternProblem() refuses ${pattern.slice(0, 40)}`, () => {
    assertMatch(patternProblem(pattern) ?? "", /regular expression/);
  });
}
