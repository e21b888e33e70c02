/** Steps of a filter that have a fast way: it passes the same rows. */
import { assertEquals } from "@std/assert";
import { flowStep } from "../../../../src/store/catalog/filters/filter_steps.ts";
import { RowColumns } from "../../../../src/store/catalog/rows/row_columns.ts";

const ROWS = 1_000;

/** One row of `every` has flow 7; the others have flows 8 to 16. */
const flowsOf = (every: number) =>
  Array.from({ length: ROWS }, (_, row) => row % every === every - 1 ? 7 : 8 + row % 9);

function passed(flows: Uint8Array | Uint16Array, accepted: readonly number[], rows: readonly number[]) {
  const accepts = new Uint8Array(20);
  for (const flowNo of accepted) accepts[flowNo] = 1;
  const block = RowColumns.ofFacts(flows, new Uint16Array(ROWS));
  const from = Uint32Array.from(rows);
  const to = new Uint32Array(ROWS);
  const copied = flowStep(accepts).refine(block, from, rows.length, to);
  const inPlace = flowStep(accepts).refine(block, from, rows.length, from);
  assertEquals([...from.subarray(0, inPlace)], [...to.subarray(0, copied)], "in place");
  return [...to.subarray(0, copied)];
}

const ALL = Array.from({ length: ROWS }, (_, row) => row);
const LISTS = { "all rows": ALL, "some rows": ALL.filter((row) => row % 3 !== 1) };

for (const [listName, rows] of Object.entries(LISTS)) {
  for (const every of [1, 2, 31, 32, 33, 400, 5_000]) {
    Deno.test(`flowStep() passes the rows of its flows: one of ${every}, ${listName}`, () => {
      const flows = flowsOf(every);
      for (const accepted of [[7], [7, 9], [3], []]) {
        const expected = rows.filter((row) => accepted.includes(flows[row] as number));
        for (const column of [Uint8Array.from(flows), Uint16Array.from(flows)]) {
          assertEquals(passed(column, accepted, rows), expected);
        }
      }
    });
  }
}
