/** Which items are the last ones of their keys. */
import { assertEquals, assertThrows } from "@std/assert";
import { LastItems } from "../../src/tasks/storage/last_items.ts";

Deno.test("the last item of each key is found, also of long keys that differ at their end", () => {
  const items = new LastItems(4);
  const long = "x".repeat(100_000);
  for (const key of ["a", `${long}1`, `${long}2`, "a", `${long}1`]) items.add(key);
  assertEquals(items.count, 5);
  assertEquals([...items.numbers()].sort(), [2, 3, 4]);
});

Deno.test("more different keys than the limit are refused", () => {
  const items = new LastItems(2);
  for (const key of ["a", "b", "a"]) items.add(key);
  assertThrows(() => items.add("c"), Error, "they have more than 2 different keys");
});
