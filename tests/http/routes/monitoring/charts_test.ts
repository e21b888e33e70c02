import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { EFFECT_TYPE, Harness } from "../../../support/harness.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

const CORE = "io.kestra.plugin.core";
const DAY_MS = 86_400_000;
const RETURN = `${CORE}.debug.Return`;
const flow = (id: string, namespace: string, task: string) =>
  `id: ${id}\nnamespace: ${namespace}\ndescription: About ${id}\ntasks:\n  - ${task}\n`;
const GOOD = flow("good", "demo.team", `{id: t, type: ${CORE}.log.Log, message: "=formula"}`);
const BAD = flow("bad", "demo", `{id: t, type: ${CORE}.execution.Fail}`);
const MEASURED = flow("measured", "demo", `{id: e, type: ${EFFECT_TYPE}}`);
const YEARLY = flow("yearly", "demo", `{id: t, type: ${RETURN}, format: x}`) +
  `triggers:\n  - {id: s, type: ${CORE}.trigger.Schedule, cron: "0 9 1 6 *"}\n`;

/** Day 1: three good, one bad, one measured execution; day 2: one good one. */
async function started(): Promise<Harness> {
  const server = await Harness.start({
    effect: (_properties, context) => {
      context.metric({ name: "rows", type: "counter", value: 3 });
      return { state: "SUCCESS", outputs: {} };
    },
  });
  for (const source of [GOOD, BAD, MEASURED, YEARLY]) await server.save(source);
  for (const team of ["a", "a", "b"]) await run(server, "demo.team/good", `team:${team}`);
  await run(server, "demo/bad");
  await run(server, "demo/measured");
  server.clock.jump(DAY_MS);
  await run(server, "demo.team/good", "team:a");
  return server;
}

async function run(server: Harness, path: string, label = "run:x"): Promise<void> {
  await server.json("POST", `/executions/${path}?wait=true&labels=${label}`);
}

/** The rows of a chart that is not saved, as texts of their values. */
async function rows(server: Harness, chart: string, globalFilter: JsonValue = {}): Promise<string[]> {
  const found = await server.json("POST", "/dashboards/charts/preview", json({ chart, globalFilter })) as {
    results: JsonObject[];
    total: number;
  };
  return found.results.map((row) => Object.values(row).map((value) => String(value)).join(" "));
}

const chart = (type: string, data: string, rest: string) =>
  `id: c\ntype: ${CORE}.dashboard.chart.${type}\n${rest}data:\n  type: ${CORE}.dashboard.data.${data}\n`;
const table = (data: string, body: string) => chart("Table", data, "") + body.replace(/^(?=.)/gm, "  ");

/** A table, and its rows. */
const TABLES: readonly (readonly [data: string, body: string, rows: readonly string[]])[] = [
  ["Executions", "columns: {s: {field: STATE}, n: {agg: COUNT}}", ["FAILED 1", "SUCCESS 5"]],
  [
    "Executions",
    "columns: {ns: {field: NAMESPACE}, id: {field: FLOW_ID}, n: {field: ID, agg: COUNT}}",
    ["demo bad 1", "demo measured 1", "demo.team good 4"],
  ],
  [
    "Executions",
    "columns: {d: {field: START_DATE}, n: {agg: COUNT}}\norderBy: [{column: d, order: DESC}]",
    ["2026-01-16T00:00:00.000Z 1", "2026-01-15T00:00:00.000Z 5"],
  ],
  ["Executions", "columns: {n: {agg: COUNT}, e: {field: END_DATE, agg: COUNT}}", ["6 6"]],
  [
    "Executions",
    "columns: {t: {field: LABELS, labelKey: team}, n: {agg: COUNT}}",
    ["a 3", "b 1", "null 2"],
  ],
  ["Executions", "columns: {r: {field: FLOW_REVISION}, n: {agg: COUNT}}", ["1 6"]],
  // The clock stands still while they run.
  [
    "Executions",
    "columns: {s: {field: STATE}, m: {field: DURATION, agg: P50}, p: {field: DURATION, agg: P95}}",
    ["FAILED 0.0 0.0", "SUCCESS 0.0 0.0"],
  ],
  [
    "Executions",
    "columns: {t: {field: LABELS, labelKey: team}, p: {field: DURATION, agg: P95}}",
    ["a 0.0", "b 0.0", "null 0.0"],
  ],
  [
    "Executions",
    "columns: {id: {field: FLOW_ID}, s: {field: STATE}}\nwhere: [{field: NAMESPACE, type: EQUAL_TO, value: demo}]\n" +
    "orderBy: [{column: id}]",
    ["bad FAILED", "measured SUCCESS"],
  ],
  [
    "Executions",
    "columns: {n: {agg: COUNT}}\nwhere:\n  - {field: LABELS, labelKey: team, type: IN, values: [a, c]}",
    ["3"],
  ],
  [
    "Executions",
    "columns: {n: {agg: COUNT}}\nwhere:\n  - type: OR\n    values:\n      - {field: STATE, type: EQUAL_TO, value: FAILED}\n" +
    "      - {field: FLOW_ID, type: STARTS_WITH, value: meas}",
    ["2"],
  ],
  [
    "Executions",
    "columns: {n: {agg: COUNT}}\nwhere: [{field: NAMESPACE, type: NOT_CONTAINS, value: .team}]",
    ["2"],
  ],
  ["Executions", "columns: {n: {agg: COUNT}}\nwhere: [{field: STATE, type: EQUAL_TO, value: PAUSED}]", ["0"]],
  ["Logs", "columns: {l: {field: LEVEL}, n: {agg: COUNT}}", ["ERROR 1", "INFO 4"]],
  [
    "Logs",
    "columns: {m: {field: MESSAGE}, t: {field: TASK_ID}}\nwhere: [{field: LEVEL, type: EQUAL_TO, value: INFO}]",
    Array(4).fill("=formula t"),
  ],
  ["Logs", "columns: {n: {agg: COUNT}}\nwhere: [{field: MESSAGE, type: REGEX, value: 'form.la$'}]", ["4"]],
  [
    "Metrics",
    "columns: {name: {field: NAME}, sum: {field: VALUE, agg: SUM}}\nwhere: [{field: FLOW_ID, type: EQUAL_TO, value: measured}]",
    ["rows 3"],
  ],
  ["Flows", "columns: {ns: {field: NAMESPACE}, n: {agg: COUNT}}", ["demo 3", "demo.team 1"]],
  [
    "Triggers",
    "columns: {id: {field: TRIGGER_ID}, next: {field: NEXT_EXECUTION_DATE}}",
    ["s 2026-06-01T09:00:00.000Z"],
  ],
];

Deno.test("POST /dashboards/charts/preview reads every kind of data", async (test) => {
  await using server = await started();
  for (const [data, body, expected] of TABLES) {
    await test.step(`${data}: ${body.replaceAll("\n", " ")}`, async () => {
      assertEquals(await rows(server, table(data, body)), [...expected]);
    });
  }
});

/** Filters of a request, and the states and counts of the executions that are left. */
const REQUESTS: readonly (readonly [filter: JsonObject, rows: readonly string[]])[] = [
  [{ filters: [{ field: "NAMESPACE", operation: "EQUALS", value: "demo" }] }, ["FAILED 1", "SUCCESS 1"]],
  [{ filters: [{ field: "flowId", operation: "IN", value: ["bad", "measured"] }] }, [
    "FAILED 1",
    "SUCCESS 1",
  ]],
  [{ filters: [{ field: "STATE", operation: "IN", value: ["FAILED"] }] }, ["FAILED 1"]],
  [{ filters: [{ field: "labels", operation: "EQUALS", value: { team: "a" } }] }, ["SUCCESS 3"]],
  [{ filters: [{ field: "timeRange", operation: "EQUALS", value: "PT1H" }] }, ["SUCCESS 1"]],
  [{ filters: [{ field: "q", operation: "EQUALS", value: "good" }] }, ["SUCCESS 4"]],
  [{ namespace: "demo.team" }, ["SUCCESS 4"]],
  [{ labels: { team: "b" } }, ["SUCCESS 1"]],
  [{ startDate: "2026-01-16T00:00:00Z" }, ["SUCCESS 1"]],
  [{ endDate: "2026-01-15T23:00:00Z" }, ["FAILED 1", "SUCCESS 4"]],
  [{ filters: {}, pageNumber: 2, pageSize: 1 }, ["SUCCESS 5"]],
];
Deno.test("POST /dashboards/charts/preview applies the filters of the request", async (test) => {
  await using server = await started();
  const byState = table("Executions", "columns: {s: {field: STATE}, n: {agg: COUNT}}");
  for (const [filter, expected] of REQUESTS) {
    await test.step(JSON.stringify(filter), async () => {
      assertEquals(await rows(server, byState, filter), [...expected]);
    });
  }
  await test.step("a filter of the request replaces that of the chart", async () => {
    const failed = `${byState}\n  where: [{field: STATE, type: EQUAL_TO, value: FAILED}]\n`;
    assertEquals(await rows(server, failed), ["FAILED 1"]);
    const filters = [{ field: "STATE", operation: "EQUALS", value: "SUCCESS" }];
    assertEquals(await rows(server, failed, { filters }), ["SUCCESS 5"]);
  });
});

/** Options and data of a KPI, and its value. */
const KPIS: readonly (readonly [options: string, data: string, body: string, value: string])[] = [
  ["", "ExecutionsKPI", "columns: {field: ID, agg: COUNT}", "6.0"],
  [
    "",
    "ExecutionsKPI",
    "columns: {agg: COUNT}, numerator: [{field: STATE, type: EQUAL_TO, value: FAILED}]",
    "1.0",
  ],
  [
    "numberType: PERCENTAGE",
    "ExecutionsKPI",
    "columns: {agg: COUNT}, numerator: [{field: STATE, type: EQUAL_TO, value: FAILED}]",
    "16.67",
  ],
  [
    "numberType: PERCENTAGE",
    "ExecutionsKPI",
    "columns: {agg: COUNT}, where: [{field: NAMESPACE, type: EQUAL_TO, value: none}], numerator: [{field: STATE, type: EQUAL_TO, value: FAILED}]",
    "0.0",
  ],
  [
    "",
    "LogsKPI",
    "columns: {field: ID, agg: COUNT}, where: [{field: LEVEL, type: EQUAL_TO, value: ERROR}]",
    "1.0",
  ],
  ["", "FlowsKPI", "columns: {field: ID, agg: COUNT}", "4.0"],
];
Deno.test("POST /dashboards/charts/preview computes KPIs", async (test) => {
  await using server = await started();
  for (const [options, data, body, expected] of KPIS) {
    await test.step(`${data} ${options} ${body}`, async () => {
      const source = `id: k\ntype: ${CORE}.dashboard.chart.KPI\nchartOptions: {${options}}\n` +
        `data: {type: ${CORE}.dashboard.data.${data}, ${body}}\n`;
      assertEquals(await rows(server, source), [expected]);
    });
  }
});

Deno.test("a filter of the request on a KPI leaves its numerator as it is", async () => {
  await using server = await started();
  const source = `id: k\ntype: ${CORE}.dashboard.chart.KPI\nchartOptions: {numberType: PERCENTAGE}\n` +
    `data: {type: ${CORE}.dashboard.data.ExecutionsKPI, columns: {agg: COUNT}, ` +
    `numerator: [{field: NAMESPACE, type: EQUAL_TO, value: demo}]}\n`;
  assertEquals(await rows(server, source), ["33.33"]);
  assertEquals(await rows(server, source, { namespace: "demo.team" }), ["0.0"]);
});

Deno.test("charts of Markdown show the description of their flow", async () => {
  await using server = await started();
  const source = (id: string) =>
    `id: m\ntype: ${CORE}.dashboard.chart.Markdown\nsource: {type: FlowDescription, namespace: demo, flowId: ${id}}\n`;
  assertEquals(await rows(server, source("bad")), ["About bad"]);
  assertEquals(await rows(server, source("missing")), []);
});

const SAVED = `id: saved\ntitle: Saved\ntimeWindow: {default: PT1H, max: P2D}\ncharts:\n` +
  `  - id: states\n    type: ${CORE}.dashboard.chart.Table\n    data:\n      type: ${CORE}.dashboard.data.Executions\n` +
  `      columns: {s: {field: STATE}, n: {agg: COUNT}}\n` +
  `  - id: lines\n    type: ${CORE}.dashboard.chart.Table\n    data:\n      type: ${CORE}.dashboard.data.Logs\n` +
  `      columns: {m: {field: MESSAGE}}\n      where: [{field: LEVEL, type: EQUAL_TO, value: INFO}]\n`;

Deno.test("GET and POST /dashboards/{id}/charts/{chartId} use the window of the dashboard", async () => {
  await using server = await started();
  await server.json("POST", "/dashboards", yaml(SAVED));
  const path = "/dashboards/saved/charts/states";
  assertEquals(await server.json("POST", path), { results: [{ s: "SUCCESS", n: 1 }], total: 1 });
  assertEquals(await server.json("GET", `${path}?filters[timeRange][EQUALS]=P2D&state=FAILED`), {
    results: [{ s: "FAILED", n: 1 }],
    total: 1,
  });
  const tooLong = await server.request("GET", `${path}?timeRange=P3D`);
  assertEquals(tooLong.status, 422);
  assertStringIncludes((await tooLong.json()).message, "longer than the allowed 2 days");
  const changed = SAVED.replace("field: STATE", "field: FLOW_ID");
  await server.json("PUT", "/dashboards/saved", yaml(changed));
  assertEquals(await server.json("GET", path), { results: [{ s: "good", n: 1 }], total: 1 });
});

Deno.test("charts that do not exist have no data", async () => {
  await using server = await started();
  await server.json("POST", "/dashboards", yaml(SAVED));
  for (const path of ["/dashboards/saved/charts/none", "/dashboards/none/charts/states"]) {
    assertEquals(await server.json("POST", path), { results: [], total: 0 });
    const csv = await server.request("GET", `${path}/export/to-csv`);
    assertEquals([csv.status, await csv.text()], [200, ""]);
  }
});

Deno.test("GET /dashboards/{id}/charts/{chartId}/export/to-csv writes no formulas", async () => {
  await using server = await started();
  await server.json("POST", "/dashboards", yaml(SAVED));
  const csv = await server.request("POST", "/dashboards/saved/charts/lines/export/to-csv", json({}));
  assertEquals(csv.headers.get("content-disposition"), 'attachment; filename="saved_lines_export.csv"');
  assertEquals(await csv.text(), "m\r\n'=formula\r\n");
  const chart = table("Flows", "columns: {id: {field: ID}}\norderBy: [{column: id}]");
  const preview = await server.request("POST", "/dashboards/charts/export/to-csv", json({ chart }));
  assertEquals(await preview.text(), "id\r\nbad\r\ngood\r\nmeasured\r\nyearly\r\n");
});

Deno.test("GET /dashboards/default is built in, until one with this id is saved", async () => {
  await using server = await started();
  const { title, charts } = await server.json("GET", "/dashboards/default") as JsonObject;
  assertEquals(title, "Overview");
  assertEquals((await server.page("/dashboards")).total, 0);
  for (const { id } of charts as JsonObject[]) {
    const found = await server.json("POST", `/dashboards/default/charts/${id}`) as JsonObject;
    assertEquals(Number(found.total) > 0, id !== "executions_in_progress", String(id));
  }
  assertEquals((await server.request("DELETE", "/dashboards/default")).status, 404);
  await server.json("POST", "/dashboards", yaml("id: default\ntitle: Mine\n"));
  assertEquals((await server.json("GET", "/dashboards/default") as JsonObject).title, "Mine");
});

Deno.test("a dashboard with a chart that has an error is refused, with the place of the error", async () => {
  await using server = await Harness.start();
  const source = SAVED.replace("field: STATE", "field: STATUS");
  const refused = await server.request("POST", "/dashboards", yaml(source));
  assertEquals(refused.status, 422);
  assertStringIncludes(
    (await refused.json()).message,
    "charts[states].data.columns.s.field: must be one of ID",
  );
  const { problems } = await server.json("POST", "/dashboards/validate", yaml(source)) as JsonObject;
  const [{ line, column, path } = {}] = problems as JsonObject[];
  assertEquals([line, column, path], [9, 28, "charts[0].data.columns.s.field"]);
});

/** A body of a preview, the status and what the message says. */
const REFUSED: readonly (readonly [body: JsonValue, status: number, says: string])[] = [
  [{}, 422, 'the source of a chart as "chart"'],
  [[], 422, 'the source of a chart as "chart"'],
  [{ chart: "id: [" }, 422, "Illegal flow yaml"],
  [{ chart: "id: c\ntype: x\n" }, 422, "type: must be"],
  [{ chart: `id: c\n#${"x".repeat(60_000)}` }, 413, "larger than 60000 bytes"],
  [
    { chart: table("Flows", "columns: {n: {agg: COUNT}}"), globalFilter: 5 },
    422,
    "the body must be an object",
  ],
  [
    { chart: table("Flows", "columns: {n: {agg: COUNT}}"), globalFilter: { filters: 5 } },
    400,
    "filters are a list",
  ],
  [
    {
      chart: table("Flows", "columns: {n: {agg: COUNT}}"),
      globalFilter: { filters: [{ field: "COLOR", value: "x" }] },
    },
    400,
    "names no field",
  ],
  [{ chart: table("Flows", "columns: {n: {agg: COUNT}}"), globalFilter: { pageSize: 0 } }, 422, '"pageSize"'],
  [
    {
      chart: table("Flows", "columns: {n: {agg: COUNT}}"),
      globalFilter: { startDate: "2027-01-01T00:00:00Z" },
    },
    422,
    "Start date must be before End Date",
  ],
];
for (const [body, status, says] of REFUSED) {
  Deno.test(`POST /dashboards/charts/preview refuses ${JSON.stringify(body).slice(0, 120)}`, async () => {
    await using server = await Harness.start();
    const response = await server.request("POST", "/dashboards/charts/preview", json(body));
    assertEquals(response.status, status);
    assertStringIncludes((await response.json()).message, says);
  });
}

Deno.test("charts show nothing of other tenants", async () => {
  await using server = await started();
  const byState = table("Executions", "columns: {s: {field: STATE}, n: {agg: COUNT}}");
  await server.json("POST", "/api/v1/tenants", json({ id: "other", name: "other" }));
  const path = "/api/v1/other/dashboards/charts/preview";
  assertEquals(await server.json("POST", path, json({ chart: byState })), { results: [], total: 0 });
});
