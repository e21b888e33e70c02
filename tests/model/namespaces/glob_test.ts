import { assert, assertEquals, assertThrows } from "@std/assert";
import { compileGlobs, compileNamespaceGlobs, compilePurgeGlob } from "../../../src/model/namespaces/glob.ts";

/** Patterns, matching paths, other paths. */
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
  ["regex:.*\\.json", ["a.json", "d/a.json"], ["a.json.x", "ajson"]],
  ["regex:/d/[0-9]+|x", ["d/12", "x"], ["e/d/1", "d/1a", "xy"]],
  ["", [""], ["a"]],
];

for (const [pattern, yes, no] of CASES) {
  Deno.test(`compileGlobs() with "${pattern}"`, () => {
    assertEquals(yes.filter((path) => !compileGlobs([pattern])(path)), []);
    assertEquals(no.filter((path) => compileGlobs([pattern])(path)), []);
  });
}

/** The same for files of a namespace. */
const NAMESPACE_CASES: typeof CASES = [
  ["a.txt", ["a.txt", "d/a.txt", "d/e/a.txt"], ["b.txt", "ba.txt"]],
  ["d/**", ["d/a", "c/d/e/f"], ["d", "cd/a"]],
  ["/a.txt", ["a.txt"], ["d/a.txt"]],
  ["/d/**", ["d/a"], ["c/d/a"]],
  ["*.txt", ["a.txt"], ["d/a.txt"]],
  ["**test1*", ["d/e/test1.txt", "atest1"], ["d/test2.txt", "test1/a"]],
  ["glob:a.txt", ["a.txt"], ["d/a.txt"]],
  ["regex:.*a\\.txt", ["d/a.txt", "a.txt"], ["a.txt/b"]],
];

for (const [pattern, yes, no] of NAMESPACE_CASES) {
  Deno.test(`compileNamespaceGlobs() with "${pattern}"`, () => {
    const isMatch = compileNamespaceGlobs([pattern]);
    assertEquals(yes.filter((path) => !isMatch(path)), []);
    assertEquals(no.filter(isMatch), []);
  });
}

/** The same where wildcards match slashes. */
const PURGE_CASES: typeof CASES = [
  ["*", ["a.txt", "d/e/a.txt"], []],
  ["*il*", ["my/first/file.txt", "mile/a"], ["my/a.txt"]],
  ["**/*.sql", ["a.sql", "d/e/a.sql"], ["a.txt"]],
  ["d/*.txt", ["d/a.txt", "d/e/a.txt", "c/d/a.txt"], ["e/a.txt"]],
  ["/d/*", ["d/a", "d/e/f"], ["c/d/a"]],
  ["/d?a", ["d/a", "dxa"], ["da", "d/ea"]],
  ["*[!a].txt", ["d/b.txt"], ["d/a.txt"]],
  ["a\\*", ["a*"], ["ab"]],
  ["regex:.\\.txt", ["a.txt"], ["d/a.txt"]],
];

for (const [pattern, yes, no] of PURGE_CASES) {
  Deno.test(`compilePurgeGlob() with "${pattern}"`, () => {
    const isMatch = compilePurgeGlob(pattern);
    assertEquals(yes.filter((path) => !isMatch(path)), []);
    assertEquals(no.filter(isMatch), []);
  });
}

Deno.test("compileGlobs() of several patterns, and of none", () => {
  assert(compileGlobs(["a", "b"])("b"));
  assertEquals(compileGlobs([])("a"), false);
  assertThrows(() => compileGlobs(["x".repeat(1_001)]), Error, "longer than 1000");
  assertThrows(() => compileGlobs(["regex:("]), Error, "regular expression");
});

Deno.test("compileGlobs() has no exponential backtracking", () => {
  const path = "a".repeat(1_000);
  assertEquals(compileGlobs([`${"*a".repeat(400)}b`])(path), false);
  assertEquals(compileGlobs([`${"**".repeat(400)}b`])(path), false);
  assertEquals(compileGlobs(["{a,b}".repeat(30)])("c"), false);
});

Deno.test("compileGlobs() limits what a regular expression takes for all paths together", () => {
  const isMatch = compileGlobs(["regex:(?:(?:a?){500})*z"]), path = "a".repeat(200);
  const test = (count: number) => {
    for (let i = 0; i < count; i++) isMatch(path);
  };
  test(1);
  assertThrows(() => test(10), Error, "too many moves");
});

Deno.test("compileGlobs() matches a simple regular expression with any number of paths", () => {
  const isMatch = compileGlobs(["regex:.*/[a-z]+[.](txt|csv)"]);
  for (let i = 0; i < 5_000; i++) assertEquals(isMatch(`folder-${i}/name.csv`), true);
});
