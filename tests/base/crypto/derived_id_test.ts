import { assert, assertEquals } from "@std/assert";
import { derivedId, derivedIndex } from "../../../src/base/crypto/derived_id.ts";
import { idTime, isId } from "../../../src/base/id.ts";
import { tryPackId } from "../../../src/store/catalog/rows/row.ts";

const AT = Date.UTC(2026, 0, 15);

Deno.test("derivedId() returns valid, ordered, unique ids", () => {
  const ids = Array.from({ length: 60_000 }, (_, index) => derivedId(AT, index, "seed"));
  assert(ids.every((id) => isId(id) && idTime(id) === AT));
  assertEquals(ids, [...ids].sort());
  assertEquals(new Set(ids).size, ids.length);
});

Deno.test("derivedId() depends on the seed", () => {
  const ids = Array.from({ length: 60_000 }, (_, seed) => derivedId(AT, 0, `execution/${seed}/1`));
  assertEquals(new Set(ids).size, ids.length);
});

Deno.test("derivedId() keeps more ids than one millisecond has in order, and each fits into a row of the catalog", () => {
  const ids = [0, 65_535, 65_536, 99_999, 200_000].map((index) => derivedId(AT, index, "seed"));
  assertEquals(ids, [...ids].sort());
  assertEquals(ids.map((id) => idTime(id) - AT), [0, 0, 1, 1, 3]);
  assertEquals(ids.map((id) => tryPackId(id) !== undefined), ids.map(() => true));
});

Deno.test("derivedIndex() accepts only derived ids", () => {
  for (const index of [0, 1, 61, 62, 50_000, 65_535, 65_536, 99_999]) {
    const id = derivedId(AT, index, "seed");
    assertEquals(derivedIndex(id, AT, "seed"), index);
    assertEquals(derivedIndex(id, AT + 1, "seed"), undefined);
    assertEquals(derivedIndex(id, AT, "other"), undefined);
  }
  assertEquals(derivedIndex("short", AT, "seed"), undefined);
});
