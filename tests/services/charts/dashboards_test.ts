import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { IdSource } from "../../../src/base/id.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { Dashboards } from "../../../src/services/charts/dashboards.ts";
import type { DashboardRecord, DashboardRecords } from "../../../src/store/records/dashboard_records.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const ACTOR = { tenant: "main", user: "test" };
const CHART = "charts: [{id: c, type: io.svc.plugin.core.dashboard.chart.Markdown}]\n";

/** Dashboards over records in memory, by id. */
function over(...sources: readonly (readonly [id: string, source: string])[]) {
  const stored = new Map(
    sources.map((
      [id, source],
    ): [string, DashboardRecord] => [id, { id, source, createdAt: 0, updatedAt: 0 }]),
  );
  const records = {
    get: (_tenant: string, id: string) => Promise.resolve(stored.get(id)),
    list: async function* () {
      yield* stored.values();
    },
    put: (_tenant: string, record: DashboardRecord) => Promise.resolve(void stored.set(record.id, record)),
  } as unknown as DashboardRecords;
  return new Dashboards({ records, clock: new FakeClock(), ids: new IdSource() });
}

Deno.test("list() reads the source of a dashboard once, until it changes", async () => {
  const dashboards = over(["a", `title: A\n${CHART}`], ["b", `title: B\n${CHART}`]);
  const plans = async () => (await Array.fromAsync(dashboards.list(ACTOR))).map(({ plan }) => plan);
  const [a, b] = await plans();
  await dashboards.update(ACTOR, "b", "title: C\n");
  const [sameA, newB] = await plans();
  assertStrictEquals(sameA, a);
  assertEquals([b?.charts.size, newB?.charts.size], [1, 0]);
});

Deno.test("findChart() refuses a chart that was stored with an error, and finds the others", async () => {
  const bad = "{id: bad, type: x.Bar}";
  const dashboards = over(["a", `title: A\n${CHART.replace("]", `, ${bad}]`)}`]);
  assertEquals((await dashboards.findChart(ACTOR, "a", "c"))?.chart.kind, "Markdown");
  await assertRejects(() => dashboards.findChart(ACTOR, "a", "bad"), DomainError, "charts[bad].type");
  assertEquals(await dashboards.findChart(ACTOR, "a", "none"), undefined);
  assertEquals(await dashboards.findChart(ACTOR, "none", "c"), undefined);
});
