import { assertEquals } from "@std/assert";
import type { JsonValue } from "../../src/base/json.ts";
import { readStructure } from "../../src/base/json_text.ts";

const CASES: readonly (readonly [given: JsonValue, read: JsonValue])[] = [
  ['["a", 1]', ["a", 1]],
  [' {"a": {"b": null}}', { a: { b: null } }],
  ["[a]", "[a]"],
  ["{", "{"],
  ['"a"', '"a"'],
  ["1", "1"],
  ["", ""],
  [null, null],
  [["[1]"], ["[1]"]],
  ['["[[[", "\\"[["]', ["[[[", '"[[']],
];

for (const [given, read] of CASES) {
  Deno.test(`readStructure() of ${JSON.stringify(given)}`, () => {
    assertEquals(readStructure(given), read);
  });
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

Deno.test("readStructure() keeps a text that is nested too deeply", () => {
  assertEquals(JSON.stringify(readStructure(nested(500))), nested(500));
  assertEquals(readStructure(nested(501)), nested(501));
  assertEquals(typeof readStructure(`["${nested(501)}"]`), "object");
});
