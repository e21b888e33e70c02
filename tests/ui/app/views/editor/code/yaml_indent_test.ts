/** Where the next line of YAML begins. */
import { assertEquals } from "@std/assert";
import { columnAfter, indentAfter } from "../../../../../../src/ui/app/views/editor/code/yaml_indent.ts";

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

/** Lines before, a text, and its column. */
const COLUMNS: readonly (readonly [before: string, text: string, column: number])[] = [
  ["", "id: a", 0],
  ["tasks:", "- id: a", 2],
  ["tasks:\n\n", "  - id: a", 2],
  ["tasks:\n  - id: a\n    type: b", "- id: c", 2],
  ["tasks:\n  - id: a", "message: b", 4],
  ["tasks:\n  - id: a\n    tasks:", "- id: b", 6],
  ["tasks:\n  - tasks:", "- id: b", 6],
  ["labels:\n- a", "- b", 0],
  ["id: a", "- b", 0],
];

Deno.test("columnAfter() is below a key for its first item, below the item before for the next", () => {
  for (const [before, text, column] of COLUMNS) {
    assertEquals(columnAfter(before.split("\n").reverse(), text), column, `${before}\n${text}`);
  }
});
