import { assertEquals, assertMatch } from "@std/assert";
import { matchesName } from "../../../src/model/executions/execution_query.ts";
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
    ".*+",
    ".*??",
    ".*{2}",
  ]
) {
  Deno.test(`patternProblem() refuses ${pattern.slice(0, 40)}`, () => {
    assertMatch(patternProblem(pattern) ?? "", /regular expression/);
  });
}

const NAMES = ["", "a", "prod", "a.prod", "prod.a", "?prod", "team-1"];

for (
  const pattern of [
    ".*?",
    "^.*?$",
    ".*?prod",
    "^.*?prod",
    "prod.*?",
    "prod.*?$",
    ".*?prod.*?",
    "^.*prod.*$",
    "a|.*",
    ".*?|a",
    "a|.*?prod",
    "prod|.*?a$",
    "\\.*",
    "\\.*?prod",
    "prod\\.*?",
    "^.*?^prod$",
    "(.*?)prod",
    ".?prod",
  ]
) {
  Deno.test(`matchesName() finds the same with ${pattern} as the pattern itself`, () => {
    assertEquals(patternProblem(pattern), undefined);
    const found = NAMES.filter((name) => matchesName("REGEX", [pattern], name));
    assertEquals(found, NAMES.filter((name) => new RegExp(pattern, "u").test(name)));
  });
}

Deno.test("matchesName() takes linear time for a pattern with several repetitions: else this would take years", () => {
  const pattern = "a?a?a?a?a*a*b";
  assertEquals(patternProblem(pattern), undefined);
  assertEquals(matchesName("REGEX", [pattern], "a".repeat(20_000)), false);
  assertEquals(matchesName("REGEX", [pattern], `${"a".repeat(500)}b`), true);
});
