import { assertEquals } from "@std/assert";
import { schemaDocument } from "../../../src/flow/json_schema/json_schema.ts";
import { parseFlowSource } from "../../../src/flow/mod.ts";
import { readDashboard } from "../../../src/services/charts/chart_parser.ts";
import { DASHBOARD_DEFINITION, dashboardDefinitions } from "../../../src/services/charts/dashboard_schema.ts";
import { defaultDashboardSource } from "../../../src/services/charts/default_dashboard.ts";
import { type EditorView, editorViews } from "../../support/browser/editor.ts";

const CHART = "io.kestra.plugin.core.dashboard.chart.";
const DATA = "io.svc.plugin.core.dashboard.data.";
const DATE = "{field: START_DATE}";

/** A dashboard with one chart of executions. */
const chart = (kind: string, data: string, more = "") =>
  `title: x\ncharts:\n  - id: c\n    type: ${CHART}${kind}\n${more}    data:\n      type: ${DATA}${data}\n`;
const table = (lines: string) => chart("Table", `Executions\n      columns: {d: ${DATE}}\n      ${lines}`);

const GOOD: readonly string[] = [
  defaultDashboardSource(),
  "title: x\nid: a.b\ndescription: 3\ntimeWindow: {default: P1D}\ncharts: []\nupdated: never\ndeleted: false\n",
  `title: x\ncharts:\n  - id: m\n    type: ${CHART}Markdown\n    content: "# Text"\n`,
  chart("KPI", "LogsKPI\n      columns: {field: ID, agg: COUNT}\n      numerator: []"),
  table(
    "where: [{type: OR, values: [{field: STATE, type: IS_NULL}, {field: ID, type: EQUAL_TO, value: a}]}]",
  ),
  table("where: [{type: IN, field: STATE, values: [FAILED]}]\n      orderBy: [{column: d, order: DESC}]"),
];

const BAD: readonly (readonly [source: string, problem: string])[] = [
  ["id: x\n", '1: Missing property "title".'],
  ["title: x\nfoo: 1\n", "2: Property foo is not allowed."],
  ["title: x\ntimeWindow: {min: P1D}\n", "2: Property min is not allowed."],
  ["title: x\ncharts: [{id: a}]\n", '2: Missing property "type".'],
  [chart("Graph", `Executions\n      columns: {d: ${DATE}}`), "4: Unknown type of chart"],
  [chart("Table", `Flowz\n      columns: {d: ${DATE}}`), "6: Unknown type of data"],
  [chart("KPI", "Logs\n      columns: {field: ID, agg: COUNT}"), "6: Unknown type of data"],
  [chart("Table", "Logs\n      columns: {d: {field: STATE}}"), "7: Value is not accepted."],
  [chart("Table", "Logs\n      columns: {}"), "7: Object has fewer properties"],
  [table("where: [{type: LIKE, field: STATE}]"), "8: Value is not accepted."],
  [table("where: [{type: OR, values: []}]"), "8: Array has too few items"],
  [table("orderBy: [{column: d, order: UP}]"), "8: Value is not accepted."],
];

let views: Promise<EditorView[][]> | undefined;

/** What an editor shows of the good dashboards, then of the bad ones. Its process is started once. */
async function shownViews(): Promise<EditorView[]> {
  views ??= editorViews([{
    schema: schemaDocument(dashboardDefinitions(), DASHBOARD_DEFINITION),
    documents: [...GOOD, ...BAD.map(([source]) => source)],
  }]);
  return (await views)[0] ?? [];
}

function errorsOf(source: string): number {
  return readDashboard(parseFlowSource(source)).problems.filter(({ severity }) => severity === "error")
    .length;
}

Deno.test("an editor shows no problem of a good dashboard", async () => {
  const shown = await shownViews();
  for (const [index, source] of GOOD.entries()) {
    assertEquals([shown[index]?.problems, errorsOf(source)], [[], 0], source);
  }
});

for (const [index, [source, expected]] of BAD.entries()) {
  Deno.test(`an editor shows what a save would refuse: ${expected}, in ${JSON.stringify(source.slice(-60))}`, async () => {
    const shown = await shownViews();
    const { problems = [] } = shown[GOOD.length + index] ?? {};
    assertEquals(
      [problems.some((each) => each.startsWith(expected)), errorsOf(source) > 0],
      [true, true],
      `${problems}`,
    );
  });
}
