import { assertEquals, assertRejects } from "@std/assert";
import { limitedLines, rowLines } from "../../src/integrations/row_files.ts";

Deno.test("limitedLines() passes lines on until the budget of all files is spent", async () => {
  const budget = { left: 12 };
  assertEquals(await Array.fromAsync(limitedLines(rowLines([[1], [2]]), budget)), ["[1]\n", "[2]\n"]);
  const second = limitedLines(rowLines([[3], [4]]), budget);
  assertEquals((await second.next()).value, "[3]\n");
  await assertRejects(() => second.next(), Error, "Cannot write the rows: they have too many characters");
});
