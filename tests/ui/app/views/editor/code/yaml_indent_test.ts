/** Where the next line of YAML begins. */
import { assertEquals } from "@std/assert";
import { indentAfter } from "../../../../../../src/ui/app/views/editor/code/yaml_indent.ts";

const CASES: readonly (readonly [before: string, column: number])[] = [
  ["", 0],
  ["    ", 4],
  ["id: hello", 0],
  ["  team: core", 2],
  ["tasks:", 2],
  ["tasks: # all", 2],
  ["  - id: a", 4],
  ["  - tasks:", 6],
  ["  - text", 2],
  ["  script: |", 4],
  ["  script: >-", 4],
  ['"a key": 1', 0],
  ["  some text", 2],
];

Deno.test("indentAfter() is below a key for its value, else where the next key is", () => {
  for (const [before, column] of CASES) assertEquals(indentAfter(before), column, before);
});
