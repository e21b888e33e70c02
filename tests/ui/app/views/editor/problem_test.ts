import { Text } from "@codemirror/state";
import { assertEquals } from "@std/assert";

import { isUsable, rangeOf, suggestionOf } from "../../../../../src/ui/app/views/editor/problem.ts";

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
