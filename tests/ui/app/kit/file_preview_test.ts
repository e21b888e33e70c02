import { assertEquals } from "@std/assert";
import { isFileUri, parseCsv } from "../../../../src/ui/app/kit/file_preview.tsx";
import { memberPath } from "../../../../src/ui/app/kit/value_tree.tsx";

const CASES: readonly (readonly [name: string, text: string, rows: string[][]])[] = [
  ["rows and cells", "a,b\n1,2\n", [["a", "b"], ["1", "2"]]],
  ["no line break at the end", "a,b\n1,2", [["a", "b"], ["1", "2"]]],
  ["empty cells", "a,,c\n,,\n", [["a", "", "c"], ["", "", ""]]],
  ["quotes with separators, quotes and line breaks", '"x,y","say ""hi""","1\n2"\r\n', [[
    "x,y",
    'say "hi"',
    "1\n2",
  ]]],
  ["no text", "", []],
];

for (const [name, text, rows] of CASES) {
  Deno.test(`parseCsv() ${name}`, () => assertEquals(parseCsv(text, ","), rows));
}

Deno.test("isFileUri() knows the addresses of the storage from other texts", () => {
  assertEquals(isFileUri("kestra:///demo/f/executions/x/tasks/t/r/file.csv"), true);
  assertEquals(isFileUri("https://example.com/executions/1"), false);
});

Deno.test("memberPath() writes names that are not words in brackets", () => {
  assertEquals(memberPath("outputs", "fetch"), "outputs.fetch");
  assertEquals(memberPath("outputs", "a-b"), "outputs['a-b']");
  assertEquals(memberPath("outputs", String.raw`it's a\b`), String.raw`outputs['it\'s a\b']`);
  assertEquals(memberPath("", "outputs"), "outputs");
});
