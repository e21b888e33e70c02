import { assertEquals } from "../../../../support/assert.ts";
import { readDashboard } from "../../../../../src/ui/app/views/dashboards/definition.ts";
import { rolesOf, seriesOf } from "../../../../../src/ui/app/views/dashboards/series.ts";
import type { JsonObject } from "../../../../../src/base/json.ts";

const TYPE = "io.svc.plugin.core.dashboard.";

function chartOf(members: JsonObject) {
  const [chart] = readDashboard({ title: "x", charts: [{ id: "a", ...members }] }).charts;
  return chart;
}

Deno.test("readDashboard() takes what fits, and defaults for the rest", () => {
  const odd = { title: 1, timeWindow: [], charts: [7, { type: "x.chart.Unknown" }] };
  assertEquals(readDashboard(odd), {
    title: "",
    description: undefined,
    range: "P30D",
    maxMs: 366 * 86_400_000,
    charts: [undefined, undefined],
  });
  assertEquals(readDashboard({ charts: "none" }).charts, []);
});

Deno.test("readDashboard() reads the column of a KPI, and its filters and numerator", () => {
  const state = { type: "EQUAL_TO", field: "STATE", value: "FAILED" };
  const chart = chartOf({
    type: `${TYPE}chart.KPI`,
    chartOptions: { numberType: "PERCENTAGE" },
    data: {
      type: `${TYPE}data.ExecutionsKPI`,
      columns: { agg: "COUNT" },
      where: [state],
      numerator: [state],
    },
  });
  assertEquals([chart?.kind, chart?.data, chart?.isPercentage, chart?.width], ["KPI", "Executions", true, 3]);
  assertEquals(chart?.columns.map(({ name, agg }) => [name, agg]), [["value", "COUNT"]]);
  assertEquals(chart?.filters.map(({ values }) => values), [["FAILED"], ["FAILED"]]);
});

Deno.test("seriesOf() adds up rows of one place, orders states, and colours other names by their totals", () => {
  const chart = chartOf({
    type: `${TYPE}chart.Bar`,
    chartOptions: { column: "flow" },
    data: {
      type: `${TYPE}data.Executions`,
      columns: { state: { field: "STATE" }, flow: { field: "FLOW_ID" }, total: { agg: "COUNT" } },
    },
  });
  if (!chart) throw new Error("The chart is not read");
  const roles = rolesOf(chart);
  const [total] = roles.aggregations;
  if (!total) throw new Error("The chart has no aggregation");
  const rows = [
    { state: "FAILED", flow: "a", total: 1 },
    { state: "other", flow: "a", total: 1 },
    { state: "another", flow: "a", total: 5 },
    { state: "SUCCESS", flow: "a", total: 2 },
    { state: "SUCCESS", flow: "b", total: 3 },
    { state: "SUCCESS", flow: "b", total: null },
  ];
  const found = seriesOf(rows, roles, total).map(({ name, tone, total, values }) => [
    name,
    tone,
    total,
    Object.fromEntries(values),
  ]);
  assertEquals(found, [
    ["SUCCESS", "good", 5, { a: 2, b: 3 }],
    ["FAILED", "bad", 1, { a: 1 }],
    ["another", "series-3", 5, { a: 5 }],
    ["other", "series-4", 1, { a: 1 }],
  ]);
});
