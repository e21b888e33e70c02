/** The linear search finds what the platform finds. */
import { assertEquals } from "@std/assert";
import { includesText, indexOfText, lastIndexOfText, splitByText } from "../../../src/base/text/find_text.ts";

/** Texts of two letters, in which long parts almost match. */
function* rows(): Generator<readonly [text: string, sought: string]> {
  let seed = 7;
  const letter = () => (seed = seed * 48271 % 2147483647) % 5 === 0 ? "b" : "a";
  const textOf = (length: number) => Array.from({ length }, letter).join("");
  for (let round = 0; round < 400; round++) {
    const text = textOf(round % 200);
    yield [text, textOf(round % 23)];
    yield [text, text.slice(round % 50, round % 50 + round % 31)];
  }
  yield ["a".repeat(500), "a".repeat(20)];
  yield ["a".repeat(500), `${"a".repeat(20)}b`];
  yield [`${"a".repeat(500)}b${"a".repeat(40)}`, `${"a".repeat(20)}b`];
  yield ["ab".repeat(300), `bb${"ab".repeat(10)}`];
}

Deno.test("indexOfText() and its relatives agree with the platform", () => {
  for (const [text, sought] of rows()) {
    const row = `${text} / ${sought}`;
    assertEquals(indexOfText(text, sought), text.indexOf(sought), row);
    assertEquals(indexOfText(text, sought, 5), text.indexOf(sought, 5), row);
    assertEquals(lastIndexOfText(text, sought), text.lastIndexOf(sought), row);
    assertEquals(includesText(text, sought), text.includes(sought), row);
    assertEquals(splitByText(text, sought), text.split(sought), row);
  }
});

Deno.test("indexOfText() takes linear time where the platform takes text × sought", () => {
  // The platform takes minutes for each.
  const text = "a".repeat(2_000_000), half = "a".repeat(500_000);
  for (const sought of [`ab${half}`, `${half}b${half}`, `${half}b`]) {
    assertEquals(indexOfText(text, sought), -1);
    assertEquals(lastIndexOfText(text, sought), -1);
    assertEquals(splitByText(text, sought).length, 1);
  }
});
