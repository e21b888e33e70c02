import { assertEquals } from "@std/assert";
import { parseFlowSource } from "../../../src/flow/mod.ts";
import { readChartSource, readDashboard } from "../../../src/services/charts/chart_parser.ts";
import { defaultDashboardSource } from "../../../src/services/charts/default_dashboard.ts";

const CHART = "io.kestra.plugin.core.dashboard.chart.";
const DATA = "io.kestra.plugin.core.dashboard.data.";

const read = (source: string) => readChartSource(parseFlowSource(source));
/** A chart of executions whose data is given. */
const table = (data: string, kind = "Table") =>
  `id: c\ntype: ${CHART}${kind}\ndata:\n  type: ${DATA}Executions\n${data}`;
const where = (filter: string) => table(`  columns: {n: {agg: COUNT}}\n  where:\n    - ${filter}\n`);

Deno.test("readChartSource() reads columns, filters and order", () => {
  const { chart, problems } = read(table(
    `  columns:
    state: {field: STATE}
    longest: {field: DURATION, agg: MAX, displayName: Longest}
    team: {field: LABELS, labelKey: team}
  where:
    - {field: DURATION, type: GREATER_THAN, value: 1.5}
    - {field: START_DATE, type: LESS_THAN, value: "2026-01-01T00:00:00Z"}
    - {type: OR, values: [{field: STATE, type: IN, values: [FAILED, KILLED]}, {field: END_DATE, type: IS_NULL}]}
  orderBy:
    - {column: longest, order: DESC}
`,
  ));
  assertEquals(problems, []);
  assertEquals(chart, {
    kind: "Table",
    id: "c",
    query: {
      kind: "Executions",
      columns: [
        { name: "state", field: "STATE", form: "text" },
        { name: "longest", field: "DURATION", form: "duration", agg: "MAX" },
        { name: "team", field: "LABELS", form: "label", labelKey: "team" },
      ],
      where: [
        { type: "GREATER_THAN", field: "DURATION", form: "duration", values: [1_500] },
        { type: "LESS_THAN", field: "START_DATE", form: "date", values: [Date.UTC(2026, 0, 1)] },
        {
          type: "OR",
          anyOf: [
            { type: "IN", field: "STATE", form: "text", values: ["FAILED", "KILLED"] },
            { type: "IS_NULL", field: "END_DATE", form: "date", values: [] },
          ],
        },
      ],
      orderBy: [{ column: "longest", descending: true }],
    },
  });
});

Deno.test("readChartSource() keeps the first criterion of each column", () => {
  const criteria = "{column: a}, {column: b, order: DESC}, ".repeat(500) + "{column: a, order: DESC}";
  const { chart, problems } = read(
    table(`  columns: {a: {field: STATE}, b: {field: FLOW_ID}}\n  orderBy: [${criteria}]\n`),
  );
  assertEquals(problems, []);
  assertEquals(chart?.kind === "Table" && chart.query.orderBy, [
    { column: "a", descending: false },
    { column: "b", descending: true },
  ]);
});

Deno.test("readChartSource() reads a KPI with one column, and a Markdown chart without data", () => {
  const kpi = read(
    `id: k\ntype: ${CHART}KPI\nchartOptions: {numberType: PERCENTAGE}\ndata:\n  type: ${DATA}LogsKPI\n` +
      "  columns: {field: ID, agg: COUNT}\n  numerator: [{field: LEVEL, type: EQUAL_TO, value: ERROR}]\n",
  );
  assertEquals([kpi.problems, kpi.chart?.kind], [[], "KPI"]);
  assertEquals(kpi.chart?.kind === "KPI" && [kpi.chart.isPercentage, kpi.chart.numerator.length], [true, 1]);
  const flow = "source: {type: FlowDescription, namespace: demo, flowId: a}";
  assertEquals(read(`id: m\ntype: ${CHART}Markdown\n${flow}\n`).chart, {
    kind: "Markdown",
    id: "m",
    flow: { namespace: "demo", id: "a" },
  });
});

Deno.test("readChartSource() accepts types with the prefix of this server", () => {
  const source = table("  columns: {n: {agg: COUNT}}\n").replaceAll("io.kestra.", "io.svc.");
  assertEquals(read(source).problems, []);
});

/** A chart, and the path, line and message of its problem. */
const WRONG: readonly (readonly [source: string, path: string, line: number, says: string])[] = [
  ["id: a b\ntype: x", "id", 1, "must match"],
  [`id: c\ntype: ${CHART}Line\n`, "type", 2, "one of TimeSeries, Bar, Pie, Table, KPI, Markdown"],
  [`id: c\ntype: ${CHART}Bar\n`, "data", 1, "must be an object with type and columns"],
  [table("  columns: {}\n"), "data.columns", 5, "at least one column"],
  [table("  columns: {n: {}}\n"), "data.columns.n.field", 5, "is missing: only COUNT needs none"],
  [table("  columns: {n: {field: STAT}}\n"), "data.columns.n.field", 5, 'did you mean "STATE"'],
  [table("  columns: {n: {agg: COUNTS}}\n"), "data.columns.n.agg", 5, "must be one of COUNT, SUM"],
  [
    table("  columns: {n: {field: STATE, agg: SUM}}\n"),
    "data.columns.n.agg",
    5,
    "of STATE must be one of COUNT",
  ],
  [
    table("  columns: {n: {field: START_DATE, agg: P95}}\n"),
    "data.columns.n.agg",
    5,
    "of START_DATE must be one of COUNT, MIN, MAX",
  ],
  [
    table("  columns: {n: {field: VALUE, agg: P95}}\n").replace("Executions", "Metrics"),
    "data.columns.n.agg",
    5,
    "of VALUE must be one of COUNT, SUM, AVG, MIN, MAX",
  ],
  [table("  columns: {n: {field: LABELS}}\n"), "data.columns.n.labelKey", 5, "must name the label"],
  [
    table("  columns: {s: {field: STATE}}\n", "Pie"),
    "data.columns",
    5,
    "a Pie chart has 1 columns with an aggregation, but this has 0",
  ],
  [
    table("  columns: {n: {agg: COUNT}}\n", "TimeSeries"),
    "chartOptions.column",
    1,
    "must name the column with the date",
  ],
  [
    table("  columns: {n: {agg: COUNT}}\n", "Bar") + "chartOptions: {column: x}\n",
    "chartOptions.column",
    6,
    "must be one of the columns",
  ],
  [
    table("  columns: {n: {agg: COUNT}}\n") + "chartOptions: {width: 13}\n",
    "chartOptions.width",
    6,
    "from 1 to 12",
  ],
  [
    table("  columns: {n: {agg: COUNT}}\n  orderBy: [{column: m}]\n"),
    "data.orderBy[0].column",
    6,
    "must be one of the columns",
  ],
  [
    table("  columns: {r: {field: FLOW_REVISION}}\n  orderBy: [{column: r}]\n"),
    "data.orderBy",
    6,
    "cannot be ordered by FLOW_REVISION",
  ],
  [where("{field: STATE, type: LIKE, value: x}"), "data.where[0].type", 7, "must be one of EQUAL_TO"],
  [
    where("{field: STATE, type: GREATER_THAN, value: x}"),
    "data.where[0].type",
    7,
    "STATE can be compared by EQUAL_TO",
  ],
  [where("{field: FLOW_REVISION, type: EQUAL_TO, value: 1}"), "data.where[0].field", 7, "cannot be filtered"],
  [where("{field: START_DATE, type: LESS_THAN, value: today}"), "data.where[0].value", 7, "must be a date"],
  [
    where("{field: DURATION, type: LESS_THAN, value: long}"),
    "data.where[0].value",
    7,
    "must be a number of seconds",
  ],
  [where("{field: STATE, type: IN, values: []}"), "data.where[0].values", 7, "must have 1 to 1000 values"],
  [
    where("{field: NAMESPACE, type: REGEX, value: '(a+)+'}"),
    "data.where[0].value",
    7,
    "must not repeat a group",
  ],
  [where("{field: LABELS, type: EQUAL_TO, value: x}"), "data.where[0].labelKey", 7, "must name the label"],
  [where("{type: OR, values: []}"), "data.where[0].values", 7, "at least one filter"],
];
for (const [source, path, line, says] of WRONG) {
  Deno.test(`readChartSource() reports ${path}: ${says}`, () => {
    const { chart, problems } = read(source);
    const found = problems.find((problem) => problem.path === path);
    assertEquals([chart, found?.severity, found?.range?.line], [undefined, "error", line]);
    assertEquals(found?.message.includes(says), true, found?.message);
  });
}

Deno.test("readChartSource() warns of members that it does not use, and reads the chart", () => {
  const { chart, problems } = read(table("  columns: {n: {agg: COUNT}}\n  wher: []\n"));
  assertEquals(chart?.id, "c");
  assertEquals(problems.map(({ severity, path, message }) => [severity, path, message]), [
    ["warning", "data.wher", 'is not used, did you mean "where"'],
  ]);
});

/** A `timeWindow`, and the path and message of its problem. */
const WINDOWS: readonly (readonly [window: string, path: string | undefined, says?: string])[] = [
  ["{default: P7D, max: P30D}", undefined],
  ["{default: P2W}", undefined],
  ["{default: P31D, max: P30D}", "timeWindow.default", "must not be longer than max"],
  ["{max: P400D}", "timeWindow.max", "at most 366 days"],
  ["{default: a week}", "timeWindow.default", "must be a duration"],
  ["7", "timeWindow", "must be an object"],
];
for (const [window, path, says] of WINDOWS) {
  Deno.test(`readDashboard() ${path ? "refuses" : "accepts"} the time window ${window}`, () => {
    const { problems } = readDashboard(parseFlowSource(`title: t\ntimeWindow: ${window}\n`));
    assertEquals(problems[0]?.path, path);
    if (says) assertEquals(problems[0]?.message.includes(says), true, problems[0]?.message);
  });
}

Deno.test("readDashboard() finds no problem in the built-in dashboard", () => {
  const { charts, problems } = readDashboard(parseFlowSource(defaultDashboardSource()));
  assertEquals([charts.size, problems], [10, []]);
});
