import { assertEquals, assertThrows } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { takePage } from "../../../src/http/responses/list_page.ts";

interface Item {
  readonly name: string;
  readonly size: number;
}

const ITEMS: readonly Item[] = [
  { name: "b", size: 1 },
  { name: "a", size: 2 },
  { name: "b", size: 3 },
  { name: "c", size: 1 },
];
const FIELDS = new Map<string, (item: Item) => string | number>([
  ["name", ({ name }) => name],
  ["size", ({ size }) => size],
]);
const asc = (field: string) => ({ field, descending: false });
const desc = (field: string) => ({ field, descending: true });

const ORDERS: readonly (readonly [sort: { field: string; descending: boolean }[], found: string])[] = [
  [[], "b1 a2 b3 c1"],
  [[asc("name")], "a2 b1 b3 c1"],
  [[desc("name")], "c1 b1 b3 a2"],
  [[asc("name"), desc("size")], "a2 b3 b1 c1"],
  [[asc("size"), desc("name")], "c1 b1 a2 b3"],
];
for (const [sort, found] of ORDERS) {
  Deno.test(`takePage() orders by ${JSON.stringify(sort)}`, () => {
    const page = takePage(ITEMS, { page: 1, size: 10, sort }, FIELDS);
    assertEquals(page.map(({ name, size }) => `${name}${size}`).join(" "), found);
  });
}

Deno.test("takePage() reads a criterion only where those before it are equal", () => {
  const read: Item[] = [];
  const fields = new Map([...FIELDS, ["size", (item: Item) => read.push(item) && item.size]]);
  takePage(ITEMS, { page: 1, size: 10, sort: [asc("name"), asc("size")] }, fields);
  assertEquals(new Set(read.map(({ name }) => name)), new Set(["b"]));
});

Deno.test("takePage() takes a part, and refuses an unknown field", () => {
  const paging = { page: 2, size: 3, sort: [asc("size")] };
  assertEquals(takePage(ITEMS, paging, FIELDS), [{ name: "b", size: 3 }]);
  const refused = () => takePage(ITEMS, { ...paging, sort: [asc("size"), asc("nope")] }, FIELDS);
  assertThrows(refused, DomainError, '"nope" must be one of name, size');
});
