import { assertEquals } from "../../../support/assert.ts";
import { pageIn } from "../../../../src/ui/app/core/page_number.ts";

Deno.test("pageIn() is 1 for what is no number of a page", () => {
  const cases = [
    ["", 1],
    ["page=3", 3],
    ["page=", 1],
    ["page=abc", 1],
    ["page=0", 1],
    ["page=-2", 1],
    ["page=1.5", 1],
    ["page=1e999", 1],
  ] as const;
  for (const [query, page] of cases) assertEquals(pageIn(new URLSearchParams(query)), page, query);
});
