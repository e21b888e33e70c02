/** Searches with many words: what they make for each of them. */
import { assertEquals, assertLessOrEqual } from "@std/assert";
import { CatalogFixture, NEWEST } from "../fixture.ts";

/** Tables that a query may make for the words that it searches in ids. */
const MAX_ID_TABLES = 4;

/** Counts the arrays that are as long as a table of an id search. */
function countIdTables(): Disposable & { readonly count: number } {
  const arrays = { Uint16Array, Uint32Array };
  let count = 0;
  const counting = <T extends new (length: number) => unknown>(type: T) =>
    new Proxy(type, {
      construct(target, args, newTarget) {
        if (args[0] === 62 ** 3) count++;
        return Reflect.construct(target, args, newTarget);
      },
    });
  globalThis.Uint16Array = counting(Uint16Array);
  globalThis.Uint32Array = counting(Uint32Array);
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]: () => void Object.assign(globalThis, arrays),
  };
}

Deno.test("Catalog.query() finds ids that contain each of many words, with tables for few of them", async () => {
  await using app = await CatalogFixture.open();
  const ids = (await app.fill(50)).map(({ id }) => id as string);
  const id = ids[7] as string;
  const words = Array.from({ length: 20 }, (_, at) => id.slice(at % 4, 22 - (at >> 2)).toLowerCase());
  const condition = (negated: boolean) =>
    ({ field: "text", words: [...words, id.slice(1)], negated }) as const;
  const find = async (negated: boolean) => {
    const conditions = Array(10).fill(condition(negated));
    const query = { ...NEWEST, size: 100, conditions, groups: Array(10).fill(conditions) };
    return (await app.catalog.query("main", query)).ids;
  };
  using tables = countIdTables();
  assertEquals(await find(false), [id]);
  assertLessOrEqual(tables.count, MAX_ID_TABLES);
  assertEquals((await find(true)).length, ids.length - 1);
  assertLessOrEqual(tables.count, 2 * MAX_ID_TABLES);
});
