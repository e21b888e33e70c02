/** Files of rows. */
import { assertEquals, assertRejects } from "@std/assert";
import { limitedLines, rowLines } from "../../src/integrations/row_files.ts";

Deno.test("limitedLines() passes lines on until the budget of all files is spent", async () => {
  const budget = { left: 12 };
  assertEquals(await Array.fromAsync(limitedLines(rowLines([[1], [2]]), budget)), ["[1]\n", "[2]\n"]);
  const second = limitedLines(rowLines([[3], [4]]), budget);
  assertEquals((await second.next()).value, "[3]\n");
  await assertRejects(() => second.next(), Error, "Cannot write the rows: they have too many characters");
});

Deno.test("rowLines() refuses a long text within a row, for which V8 would end the process", async () => {
  const text = new Array(97).fill("y".repeat(1_048_576)).join("");
  for (const row of [{ a: text }, { a: [{ b: text }] }, [text]]) {
    await assertRejects(
      () => rowLines([row]).next(),
      Error,
      "Cannot write a row: a text has 101711872 characters, and at most 100663296 are possible",
    );
  }
});
