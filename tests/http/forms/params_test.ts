import { assertEquals } from "@std/assert";
import { readPaging } from "../../../src/http/forms/params.ts";

/** A query, and its order. */
const ORDERS: readonly (readonly [query: string, sort: string[]])[] = [
  ["", []],
  ["sort=", []],
  ["sort=b:desc&sort=&sort=a:asc", ["b desc", "a asc"]],
  ["sort=a:asc&sort=a:desc", ["a asc"]],
  ["sort=a:asc&sort=b:asc&".repeat(2_000), ["a asc", "b asc"]],
];
for (const [query, expected] of ORDERS) {
  Deno.test(`readPaging() keeps the first criterion of each field of "${query.slice(0, 40)}"`, () => {
    const { sort } = readPaging(new URLSearchParams(query));
    assertEquals(sort.map(({ field, descending }) => `${field} ${descending ? "desc" : "asc"}`), expected);
  });
}
