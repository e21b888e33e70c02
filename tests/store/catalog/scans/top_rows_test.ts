import { assertEquals } from "@std/assert";
import type { ExecutionConditions } from "../../../../src/model/executions/execution_query.ts";
import type { RowFacts } from "../../../../src/store/catalog/rows/row.ts";
import { CatalogFixture, seeded } from "../fixture.ts";
import { randomFacts } from "../reference.ts";

/** The greatest id of each flow. */
function newestOf(all: readonly RowFacts[]): Map<number, string> {
  const newest = new Map<number, string>();
  for (const { flowNo, id } of all) if (id > (newest.get(flowNo) ?? "")) newest.set(flowNo, id);
  return newest;
}

const sorted = (map: ReadonlyMap<number, string>) => [...map].sort(([a], [b]) => a - b);

Deno.test("Catalog.newest() finds the newest execution of each flow, sealed, unsealed or live", async () => {
  const random = seeded(5);
  await using app = await CatalogFixture.open();
  for (let round = 0; round < 4; round++) {
    await app.write(Array.from({ length: 900 }, () => {
      app.clock.jump(1);
      const flowNo = Math.floor(random() * (5 - round));
      return app.facts({ ...randomFacts(random, "main"), flowNo });
    }));
    if (round < 3) await app.sealAll();
  }
  // An old execution that ends now has an unsealed row with an old id.
  const [oldest] = app.visible();
  if (oldest) await app.write([{ ...oldest, state: "KILLED", kind: "NORMAL" }]);
  for (const id of newestOf(app.visible()).values()) await app.remove(id);
  app.live.set("main/live", app.facts({ flowNo: 4, state: "RUNNING", durationMs: undefined }));
  const all: ExecutionConditions = { conditions: [], groups: [] };
  const normal = app.visible().filter(({ kind }) => kind === "NORMAL");
  assertEquals(sorted(await app.catalog.newest("main", all)), sorted(newestOf(normal)));
  const failed: ExecutionConditions = {
    conditions: [{ field: "state", states: ["FAILED"], negated: false }],
    groups: [],
  };
  const failedOnes = normal.filter(({ state }) => state === "FAILED");
  assertEquals(sorted(await app.catalog.newest("main", failed)), sorted(newestOf(failedOnes)));
  assertEquals(await app.catalog.newest("other", all), new Map());
});
