import { assertEquals } from "@std/assert";
import { setNamespace } from "../../../src/flow/source/namespace_edit.ts";

const ROWS: readonly (readonly [rule: string, source: string, expected: string])[] = [
  ["replaces the value", "id: a\nnamespace: old # note\n", "id: a\nnamespace: new # note\n"],
  ["replaces a quoted value", 'namespace: "old"\nid: a\n', "namespace: new\nid: a\n"],
  ["adds a line", "# top\nid: a\n", "# top\nnamespace: new\nid: a\n"],
  ["adds a line after a document marker", "---\nid: a\n", "---\nnamespace: new\nid: a\n"],
  [
    "keeps the indentation of the document",
    "  id: a\n  tasks: []\n",
    "  namespace: new\n  id: a\n  tasks: []\n",
  ],
  ["adds to a flow mapping", "{id: a}", '{"namespace": "new", id: a}'],
  ["leaves what is no mapping alone", "- a", "- a"],
];

for (const [rule, source, expected] of ROWS) {
  Deno.test(`setNamespace() ${rule}`, () => assertEquals(setNamespace(source, "new"), expected));
}
