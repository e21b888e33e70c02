/** Cells as JSON. */
import { assertEquals } from "@std/assert";
import { jsonRow } from "../../../src/integrations/jdbc/cells.ts";

Deno.test("jsonRow() tells the JSON value null from text that is no JSON", () => {
  const column = { name: "a", kind: "json" } as const;
  const rows = [["null"], [null], ['"null"'], ["null null"]].map((cells) => jsonRow([column], cells));
  assertEquals(rows, [{ a: null }, { a: null }, { a: "null" }, { a: "null null" }]);
});
