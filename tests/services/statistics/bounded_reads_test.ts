/** Reads of records are bounded, and what was left out is said. */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { ExecutionQuery } from "../../../src/model/executions/execution_query.ts";
import { parseFlowSource } from "../../../src/flow/mod.ts";
import { readChartSource } from "../../../src/services/charts/chart_parser.ts";
import { Charts } from "../../../src/services/charts/charts.ts";
import { TaskRuns } from "../../../src/services/statistics/task_runs.ts";
import type { Catalog } from "../../../src/store/catalog/catalog.ts";
import { Harness } from "../../support/harness.ts";

const ACTOR = { tenant: "main", user: "test" };
const FLOW = `id: say\nnamespace: demo\ntasks:\n  - {id: t, type: io.svc.plugin.core.log.Log, message: x}\n`;
const ALL = { conditions: { conditions: [], groups: [] } };
const NO_FILTERS = {
  fields: new Set<string>(),
  executions: ALL.conditions,
  logs: ALL.conditions,
  matchesFlow: () => true,
  matchesTrigger: () => true,
};

async function started(): Promise<Harness> {
  const server = await Harness.start();
  await server.save(FLOW);
  for (let i = 0; i < 5; i++) await server.json("POST", "/executions/demo/say?wait=true");
  return server;
}

/** The catalog of the server, whose pages have at most `size` executions. */
function shortPages(server: Harness, size: number): Catalog {
  const { catalog } = server.assembly.services;
  const query = (tenant: string, wanted: ExecutionQuery) => catalog.query(tenant, { ...wanted, size });
  return { query } as unknown as Catalog;
}

for (const [size, total, isExact] of [[2, 2, false], [5, 5, true]] as const) {
  Deno.test(`TaskRuns.search() of ${size} of 5 executions is ${isExact ? "exact" : "not exact"}`, async () => {
    await using server = await started();
    const { services } = server.assembly;
    const deps = {
      ...services,
      catalog: shortPages(server, size),
      queue: services.recordReads,
      clock: server.clock,
    };
    const page = await new TaskRuns(deps).search(ACTOR, ALL, { sort: [], page: 1, size: 10 });
    assertEquals([page.total, page.isTotalExact], [total, isExact]);
    const { isExact: isDailyExact } = await new TaskRuns(deps).daily(ACTOR, ALL);
    assertEquals(isDailyExact, isExact);
    await page.pieces.return(undefined);
  });

  Deno.test(`Charts.data() by label of ${size} of 5 executions is ${isExact ? "exact" : "not exact"}`, async () => {
    await using server = await started();
    const { services } = server.assembly;
    const deps = {
      ...services,
      catalog: shortPages(server, size),
      queue: services.recordReads,
      clock: server.clock,
    };
    const source = "id: c\ntype: io.svc.plugin.core.dashboard.chart.Table\ndata:\n" +
      "  type: io.svc.plugin.core.dashboard.data.Executions\n" +
      "  columns: {l: {field: LABELS, labelKey: k}, n: {agg: COUNT}}\n";
    const { chart } = readChartSource(parseFlowSource(source));
    const data = chart && await new Charts(deps).data(ACTOR, chart, { filters: NO_FILTERS });
    assertEquals([data?.results, data?.isExact], [[{ l: null, n: total }] as JsonObject[], isExact]);
  });
}

Deno.test("LogSearch.visit() reads a bounded number of executions, and says whether there are more", async () => {
  await using server = await started();
  const window = { start: 0, end: server.clock.now() };
  const visited = async (maxExecutions: number) => {
    let lines = 0;
    const visit = () => void lines++;
    const { logSearch, recordReads } = server.assembly.services;
    const isAll = await recordReads.run(
      ACTOR,
      (pace) => logSearch.visit(ACTOR, ALL.conditions, { window, maxExecutions, pace, visit }),
    );
    return [lines, isAll];
  };
  assertEquals(await visited(0), [0, false]);
  assertEquals(await visited(5), [5, true]);
});
