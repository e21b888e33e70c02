/** Cells as JSON. */
import { assertEquals, assertThrows } from "@std/assert";
import { jsonRow } from "../../../src/integrations/jdbc/cells.ts";

Deno.test("jsonRow() tells the JSON value null from text that is no JSON", () => {
  const column = { name: "a", kind: "json" } as const;
  const rows = [["null"], [null], ['"null"'], ["null null"]].map((cells) => jsonRow([column], cells));
  assertEquals(rows, [{ a: null }, { a: null }, { a: "null" }, { a: "null null" }]);
});

const LIST = { name: "a", kind: "text", isList: true } as const;

Deno.test("jsonRow() reads lists as PostgreSQL writes them", () => {
  const texts = ["{}", "{a,NULL}", '{"a b","{","\\"\\\\"}', '{{1,"NULL"},{2,3}}', "[0:1]={a,b}", '{"",x}'];
  assertEquals(texts.map((text) => jsonRow([LIST], [text]).a), [
    [],
    ["a", null],
    ["a b", "{", '"\\'],
    [["1", "NULL"], ["2", "3"]],
    ["a", "b"],
    ["", "x"],
  ]);
});

const REFUSED: readonly (readonly [name: string, text: string, error: string])[] = [
  ["with a text that does not end", '{a,"b}', "a text in it has no closing quote"],
  ["whose text ends with an escaped quote", `{"${'\\"'.repeat(1_000)}`, "a text in it has no closing quote"],
  ["whose text ends within an escape", '{"a\\', "a text in it has no closing quote"],
  ["with too many items", `{${"1,".repeat(1_000_000)}1}`, "it has more than 1000000 items"],
  ["with too many levels", "{".repeat(1_000_001), "it has more than 1000000 items"],
];
for (const [name, text, error] of REFUSED) {
  Deno.test(`jsonRow() refuses a list ${name}`, () => {
    assertThrows(() => jsonRow([LIST], [text]), Error, `Cannot read a list: ${error}`);
  });
}

Deno.test("jsonRow() leaves an integer that is longer than JSON may have a text", () => {
  const digits = "9".repeat(2_000);
  for (const kind of ["integer", "decimal"] as const) {
    assertEquals(jsonRow([{ name: "a", kind }], [digits]).a, digits);
  }
});
