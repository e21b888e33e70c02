import { assertEquals } from "@std/assert";
import { PathSet } from "../../src/base/path_set.ts";

const CASES: readonly (readonly [name: string, paths: readonly string[], path: string, expected: boolean])[] =
  [
    ["the empty set", [], "a", false],
    ["a path of the set", ["ab"], "ab", true],
    ["the beginning of a path of the set", ["ab"], "a", false],
    ["a longer path", ["ab"], "abc", true],
    ["a path of other steps", ["ab"], "ac", false],
    ["a path with several beginnings", ["abc", "a"], "ab", true],
    ["the empty path of the set", [""], "a", true],
    ["the empty path", ["a"], "", false],
  ];

for (const [name, paths, path, expected] of CASES) {
  Deno.test(`PathSet.hasBeginningOf() of ${name} is ${expected}`, () => {
    const set = new PathSet<string>();
    for (const each of paths) set.add([...each]);
    assertEquals(set.hasBeginningOf([...path]), expected);
  });
}

Deno.test("PathSet.hasBeginningOf() asks whether the length of a beginning is accepted", () => {
  const set = new PathSet<string | number>();
  set.add(["a", 0]);
  set.add(["a", 0, "b", 1]);
  const asked: number[] = [];
  const accepts = (length: number) => asked.push(length) > 1;
  assertEquals(set.hasBeginningOf(["a", 0, "b", 1, "c"], accepts), true);
  assertEquals(asked, [2, 4]);
  assertEquals(set.hasBeginningOf(["a", "0"]), false);
});
