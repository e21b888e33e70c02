/** Parts of a YAML source that a selection grows to. */
import { assertEquals } from "@std/assert";
import { Text } from "@codemirror/state";
import { partAround, type TextRange } from "../../../../../../src/ui/app/views/editor/code/yaml_blocks.ts";

const SOURCE = `id: hello
tasks:
  - id: first
    message: "Hello, world"
  - id: second
    env:
      A: 1

      B: 2
labels:
- one
- two
`;

/** What a selection grows to, step by step, until it is the whole source. */
function partsFrom(text: string, offset = 0): string[] {
  const doc = Text.of(SOURCE.split("\n"));
  const at = SOURCE.indexOf(text) + offset;
  let range: TextRange = { from: at, to: at };
  const parts: string[] = [];
  while (range.to - range.from < doc.length) {
    range = partAround(doc, range);
    parts.push(doc.sliceString(range.from, range.to));
  }
  return parts;
}

/** The lines from one to another, without the spaces before the first. */
function lines(first: number, last: number): string {
  return SOURCE.split("\n").slice(first - 1, last).join("\n").trimStart();
}

Deno.test("partAround() grows from the word to the value, the entry, the item, the list and the source", () => {
  assertEquals(partsFrom("world", 2), [
    "world",
    '"Hello, world"',
    'message: "Hello, world"',
    lines(3, 4),
    lines(2, 9),
    SOURCE,
  ]);
});

Deno.test("partAround() takes what is below a key, also across empty lines", () => {
  assertEquals(partsFrom("B: 2", 3), ["2", "B: 2", lines(6, 9), lines(5, 9), lines(2, 9), SOURCE]);
  assertEquals(partsFrom("      B", -1), [lines(6, 9), lines(5, 9), lines(2, 9), SOURCE]);
});

Deno.test("partAround() takes an item with its dash, and a list that is not indented with its key", () => {
  assertEquals(partsFrom("second"), [
    "second",
    "id: second",
    "- id: second",
    lines(5, 9),
    lines(2, 9),
    SOURCE,
  ]);
  assertEquals(partsFrom("two"), ["two", "- two", lines(10, 12), SOURCE]);
});

Deno.test("partAround() of the whole source, and of an empty one, is the source", () => {
  for (const text of [SOURCE, ""]) {
    const doc = Text.of(text.split("\n"));
    assertEquals(partAround(doc, { from: 0, to: doc.length }), { from: 0, to: doc.length });
  }
});
