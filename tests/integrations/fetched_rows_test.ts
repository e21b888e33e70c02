/** Rows of queries as outputs. */
import { assertEquals, assertNotEquals } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { fetchedRows } from "../../src/integrations/fetched_rows.ts";

Deno.test("others run between the rows that are outputs", async () => {
  let ticks = 0;
  const seen: number[] = [];
  const rows = async function* (): AsyncGenerator<JsonObject> {
    for (let count = 0; count < 20; count++) {
      seen.push(ticks);
      for (const end = performance.now() + 11; performance.now() < end;);
      yield await Promise.resolve({ count });
    }
  };
  const timer = setInterval(() => ticks++, 0);
  try {
    const { size } = await fetchedRows({} as Parameters<typeof fetchedRows>[0], rows(), "FETCH");
    assertEquals(size, 20);
  } finally {
    clearInterval(timer);
  }
  assertNotEquals(seen.at(0), seen.at(-1));
});
