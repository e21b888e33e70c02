import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import { MAX_DASHBOARD_BYTES } from "../../../../src/services/charts/dashboards.ts";
import { Harness } from "../../../support/harness.ts";
import { yaml } from "../../../support/flows/request_bodies.ts";

const MARKDOWN = "io.svc.plugin.core.dashboard.chart.Markdown";
const CHART = `id: runs\ntype: ${MARKDOWN}\n`;
const source = (id: string, title = "Runs") =>
  `# a comment\nid: ${id}\ntitle: ${title}\ntimeWindow:\n  default: P30D\ncharts:\n  - id: runs\n    type: ${MARKDOWN}\n`;

async function ids(server: Harness, query: string): Promise<JsonValue[]> {
  const { results, total } = await server.page(`/dashboards?${query}`);
  return [...results.map(({ id }) => id ?? null), total];
}

Deno.test("POST, GET, PUT and DELETE /dashboards keep a dashboard", async () => {
  await using server = await Harness.start();
  const made = await server.json("POST", "/dashboards", yaml(source("one"))) as JsonObject;
  const charts = [{ id: "runs", type: MARKDOWN }];
  assertEquals([made.id, made.title, made.charts, made.sourceCode], ["one", "Runs", charts, source("one")]);
  assertEquals([made.timeWindow, made.created], [{ default: "P30D" }, made.updated ?? null]);
  assertEquals(await server.json("GET", "/dashboards/one"), made);
  await server.advance(1_000);
  const changed = await server.json("PUT", "/dashboards/one", yaml("title: Other\n")) as JsonObject;
  assertEquals([changed.id, changed.title, changed.charts], ["one", "Other", []]);
  assertEquals([changed.created, changed.updated === made.updated], [made.created, false]);
  const again = await server.restart();
  await using _ = again;
  assertEquals(await again.json("GET", "/dashboards/one"), changed);
  assertEquals((await again.request("DELETE", "/dashboards/one")).status, 204);
  assertEquals((await again.request("GET", "/dashboards/one")).status, 404);
  assertEquals(await ids(again, ""), [0]);
});

Deno.test("POST /dashboards gives an id to one that has none", async () => {
  await using server = await Harness.start();
  const { id } = await server.json("POST", "/dashboards", yaml("title: x\n")) as JsonObject;
  assertEquals(await ids(server, ""), [id ?? null, 1]);
});

const LISTED: readonly (readonly [query: string, ids: readonly JsonValue[]])[] = [
  ["", ["a", "b", "c", 3]],
  ["size=2&page=2", ["c", 3]],
  ["sort=title:asc", ["c", "b", "a", 3]],
  ["sort=id:desc", ["c", "b", "a", 3]],
  ["q=TITLE 2", ["b", 1]],
  ["q=nothing", [0]],
];
for (const [query, expected] of LISTED) {
  Deno.test(`GET /dashboards?${query} lists ${expected}`, async () => {
    await using server = await Harness.start();
    for (const [id, title] of [["a", "title 3"], ["b", "title 2"], ["c", "title 1"]] as const) {
      await server.json("POST", "/dashboards", yaml(source(id, title)));
    }
    assertEquals(await ids(server, query), [...expected]);
  });
}

const REFUSED: readonly (readonly [request: string, body: string, status: number, says: string])[] = [
  ["POST /dashboards", source("one"), 409, '"one": it exists'],
  ["POST /dashboards", "id: x\n", 422, "title: must not be empty"],
  ["POST /dashboards", "id: [\n", 422, "Illegal flow yaml"],
  ["POST /dashboards", "id: a b\ntitle: x\n", 422, "id: must match"],
  ["POST /dashboards", "title: x\ncharts: 3\n", 422, "charts: must be a list"],
  ["POST /dashboards", "title: x\nfoo: 1\n", 422, 'foo: Unrecognized field "foo"'],
  ["PUT /dashboards/one", "title: x\nchart: []\n", 422, 'Unrecognized field "chart", did you mean "charts"'],
  ["POST /dashboards", "title: x\ntimeWindow: {min: P1D}\n", 422, "timeWindow.min: Unrecognized field"],
  ["POST /dashboards", "title: x\ncharts: [1]\n", 422, "charts[0]: must be an object"],
  ["POST /dashboards", "title: x\ncharts: [{id: a}]\n", 422, "charts[a].type: must not be empty"],
  ["POST /dashboards", "title: x\ncharts: [{id: a, type: b}, {id: a, type: b}]\n", 422, "Duplicate chart id"],
  ["POST /dashboards", `title: ${"x".repeat(MAX_DASHBOARD_BYTES)}\n`, 413, "larger than 60000 bytes"],
  ["PUT /dashboards/one", source("two"), 422, 'Illegal id update from "one" to "two"'],
  ["PUT /dashboards/missing", "title: x\n", 404, 'dashboard "missing" does not exist'],
  ["DELETE /dashboards/missing", "", 404, 'dashboard "missing" does not exist'],
  ["GET /dashboards?sort=color:asc", "", 422, '"color" must be one of id, title'],
];
for (const [request, body, status, says] of REFUSED) {
  Deno.test(`${request} with ${JSON.stringify(body.slice(0, 40))} is refused with ${status}`, async () => {
    await using server = await Harness.start();
    await server.json("POST", "/dashboards", yaml(source("one")));
    const [method = "", path = ""] = request.split(" ");
    const response = await server.request(method, path, body === "" ? {} : yaml(body));
    assertEquals(response.status, status);
    assertStringIncludes((await response.json()).message, says);
    assertEquals(await ids(server, ""), ["one", 1]);
  });
}

Deno.test("POST /dashboards saves a source whose quotes and line breaks take twice its bytes as JSON", async () => {
  await using server = await Harness.start();
  const written = `${source("one")}# ${'"'.repeat(55_000)}\n${"\n".repeat(4_000)}`;
  await server.json("POST", "/dashboards", yaml(written));
  const { sourceCode } = await server.json("GET", "/dashboards/one") as JsonObject;
  assertEquals(sourceCode === written, true);
});

const BROKEN_CHART = `title: Runs
charts:
  - id: runs
    type: io.svc.plugin.core.dashboard.chart.Graph
  - id: rows
    type: io.svc.plugin.core.dashboard.chart.Table
    data:
      type: io.svc.plugin.core.dashboard.data.Executions
      columns: {state: {field: STAET}}
`;

Deno.test("POST /dashboards/validate gives the place of each problem, and the definition beside them", async () => {
  await using server = await Harness.start();
  const check = await server.json("POST", "/dashboards/validate", yaml(BROKEN_CHART)) as JsonObject;
  const problems = check.problems as JsonObject[];
  assertEquals(problems.map(({ path, line, column }) => [path, line, column]), [
    ["charts[0].type", 4, 11],
    ["charts[1].data.columns.state.field", 9, 32],
  ]);
  const { title, charts } = check.definition as { title: string; charts: { id: string }[] };
  assertEquals([title, charts.map(({ id }) => id)], ["Runs", ["runs", "rows"]]);
});

Deno.test("POST /dashboards/validate of a source that is no YAML gives no definition", async () => {
  await using server = await Harness.start();
  const check = await server.json("POST", "/dashboards/validate", yaml("title: [\n")) as JsonObject;
  assertEquals([(check.problems as JsonObject[]).length > 0, check.definition], [true, undefined]);
});

const CHECKED: readonly (readonly [path: string, body: string, constraints: string | undefined])[] = [
  ["/dashboards/validate", source("x"), undefined],
  ["/dashboards/validate", "id: x\n", "title: must not be empty"],
  ["/dashboards/validate", "title: x\nfoo: 1\n", 'foo: Unrecognized field "foo"'],
  // What responses have besides is accepted.
  [
    "/dashboards/validate",
    "title: x\ndescription: d\ntenantId: main\ndeleted: false\ncreated: a\nupdated: b\nsourceCode: c\n",
    undefined,
  ],
  ["/dashboards/validate/chart", CHART, undefined],
  ["/dashboards/validate/chart", "id: runs\n", "type: must not be empty"],
];
for (const [path, body, constraints] of CHECKED) {
  Deno.test(`POST ${path} of ${JSON.stringify(body.slice(0, 20))} returns ${constraints ?? "without constraints"}`, async () => {
    await using server = await Harness.start();
    const check = await server.json("POST", path, yaml(body)) as JsonObject;
    assertEquals([check.constraints, check.outdated], [constraints, false]);
  });
}
