import { Text } from "@codemirror/state";
import { assertEquals } from "@std/assert";

import {
  firstDocument,
  isUsable,
  rangeOf,
  suggestionOf,
} from "../../../../../src/ui/app/views/editor/problem.ts";

const DOC = Text.of(["id: a", "tasks:", "  - mesage: hi"]);

function problem(place: { line?: number; column?: number; length?: number }, message = "wrong") {
  return { path: "tasks[0]", message, severity: "error", ...place };
}

Deno.test("rangeOf() marks what a problem names, and never leaves the document", () => {
  assertEquals(rangeOf(problem({ line: 3, column: 5, length: 6 }), DOC), { from: 17, to: 23 });
  assertEquals(rangeOf(problem({}), DOC), { from: 0, to: 1 });
  assertEquals(rangeOf(problem({ line: 9, column: 90, length: 9 }), DOC), { from: 27, to: 27 });
});

Deno.test("suggestionOf() gives what the server says was meant", () => {
  assertEquals(suggestionOf(problem({}, 'Unrecognized field "mesage", did you mean "message"')), "message");
  assertEquals(suggestionOf(problem({}, "must not be null")), undefined);
});

Deno.test("isUsable() accepts warnings and no errors", () => {
  assertEquals(isUsable([{ ...problem({}), severity: "warning" }]), true);
  assertEquals(isUsable([problem({})]), false);
});

Deno.test("firstDocument() is the whole source unless a second document begins, as the server reads it", () => {
  const whole = [
    "",
    "id: a\n",
    "# c\nid: a",
    "id: a\n...\n",
    "id: |\n  ---\n",
    "id: a---\n----x: 1",
    "---id: a\n",
    "%YAML 1.2\nid: a",
  ];
  for (const source of whole) assertEquals(firstDocument(source), { text: source });
  // A marker before it is blanked, so that what follows keeps its place.
  assertEquals(firstDocument("# c\n---\nid: a"), { text: "# c\n   \nid: a" });
  assertEquals(firstDocument("--- {id: a}"), { text: "    {id: a}" });
});

Deno.test("firstDocument() names the line of the marker of a second document", () => {
  assertEquals(firstDocument("id: a\n---\nid: b"), { text: "id: a", nextLine: 2 });
  assertEquals(firstDocument("id: a\n---id: b"), { text: "id: a", nextLine: 2 });
  assertEquals(firstDocument("id: a\r\n---\r\n"), { text: "id: a\r", nextLine: 2 });
  assertEquals(firstDocument("---\n# c\n---\nid: a"), { text: "   \n# c", nextLine: 3 });
  assertEquals(firstDocument("--- # c\n--- # d"), { text: "    # c", nextLine: 2 });
});
