import { assert, assertEquals, assertThrows } from "@std/assert";
import { compileGlobs, matchesGlob } from "../../src/tasks/glob.ts";

/** Patterns, paths that match and paths that do not. */
const CASES: readonly (readonly [pattern: string, yes: readonly string[], no: readonly string[]])[] = [
  ["a.txt", ["a.txt"], ["b.txt", "a_txt", "d/a.txt"]],
  ["*.txt", ["a.txt", ".txt"], ["a.txt.x", "d/a.txt"]],
  ["**.txt", ["a.txt", "d/e/a.txt"], ["a.csv"]],
  ["**/*.txt", ["a.txt", "d/a.txt", "d/e/a.txt"], ["a.csv"]],
  ["d/**", ["d/a", "d/e/f"], ["d", "e/d/a"]],
  ["**", ["a", "a/b"], []],
  ["d/*/f", ["d/e/f"], ["d/f", "d/e/e/f"]],
  ["d/**/f", ["d/f", "d/e/f", "d/e/e/f"], ["d/ef"]],
  ["a?c", ["abc"], ["ac", "a/c"]],
  ["[a-c]x", ["ax", "cx"], ["dx", "x"]],
  ["[!a-c]x", ["dx"], ["ax", "/x"]],
  ["*.{csv,t[ex]t}", ["a.csv", "a.txt", "a.tet"], ["a.{csv", "a.tat"]],
  ["{a,b{c,d}}", ["a", "bc", "bd"], ["b", "cd"]],
  ["{a", ["{a"], ["a"]],
  ["[a", ["[a"], ["a"]],
  ["a\\*", ["a*"], ["ab"]],
  ["./d/a", ["d/a"], []],
  ["/d/a", ["d/a"], []],
  ["glob:*.txt", ["a.txt"], []],
  ["a.+(b)$", ["a.+(b)$"], ["a.b"]],
  ["", [""], ["a"]],
];

for (const [pattern, yes, no] of CASES) {
  Deno.test(`matchesGlob() with "${pattern}"`, () => {
    assertEquals(yes.filter((path) => !matchesGlob(pattern, path)), []);
    assertEquals(no.filter((path) => matchesGlob(pattern, path)), []);
  });
}

Deno.test("compileGlobs() of several patterns, and of none", () => {
  assert(compileGlobs(["a", "b"])("b"));
  assertEquals(compileGlobs([])("a"), false);
  assertThrows(() => compileGlobs(["x".repeat(1_001)]), Error, "longer than 1000");
});

Deno.test("compileGlobs() takes bounded time for patterns that invite backtracking", () => {
  const path = "a".repeat(1_000);
  assertEquals(matchesGlob(`${"*a".repeat(400)}b`, path), false);
  assertEquals(matchesGlob(`${"**".repeat(400)}b`, path), false);
  assertEquals(matchesGlob("{a,b}".repeat(30), "c"), false);
});
