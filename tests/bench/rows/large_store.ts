/** Row 24: lists, charts, boot and memory over stores of growing size, up to `--executions`. */
import { search, searchPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { BULK_DAYS, bulkFlowId, bulkNamespace, keptStore } from "../seeding/bulk_seeding.ts";
import { inMegabytes, inMs, median, type RowResult, type ServerMetric } from "../figures.ts";
import { type Latency, measureLatency, type TimedRequest } from "../load/latency_client.ts";
import { pause, type ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const SIZES = [100_000, 1_000_000, 3_000_000];
const ROUNDS = 9;
const BOOTS = 3;
const SETTLE_MS = 2_000;
const BESIDE_SECONDS = 2;
/** With 10 million executions they take longer than that. */
const NEW_FILTERS = 15;
/** Labels that the other lists do not use. */
const FIRST_LABEL = 10_000;
const DAY_MS = 86_400_000;

/** Growth with the number of stored executions. */
export const largeStoreRow: Row = {
  number: 24,
  name: "large-store",
  title: "lists, charts, boot and memory over a growing store",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  const { executions } = bench.options;
  const figures: ServerMetric[] = [];
  const notes: string[] = [];
  for (const size of [...SIZES.filter((size) => size < executions), executions]) {
    const result = await measureSize(bench, size);
    figures.push(...result.figures);
    notes.push(...result.notes.map((note) => `${size.toLocaleString("en")} stored: ${note}`));
  }
  return { figures, notes };
}

async function measureSize(bench: Bench, size: number): Promise<RowResult> {
  const dataDir = await keptStore(bench, size);
  await writeColumns(bench, dataDir);
  const { bootMs, firstMs } = await afterBoot(bench, dataDir);
  await using server = await bench.startServer({ dataDir });
  const lists = await timed(server, await listRequests(server.url));
  const sorts = await timed(server, sortRequests());
  const logs = await timed(server, logRequests());
  const charts = await timedCharts(server);
  const beside = await besideLists(server);
  await pause(SETTLE_MS);
  const residentBytes = await server.residentBytes();
  const [stored, first, boot] = [size.toLocaleString("en"), median(firstMs), median(bootMs)];
  const figure = (name: string, value: number, floor: number, goal: number): ServerMetric => ({
    row: 24,
    name: `${stored}: ${name}`,
    measured: inMs(value),
    limit: "",
    ...{ value, unit: "ms", better: "lower", floor, goal },
  });
  const slowest = (name: string, of: readonly Latency[], floor: number, goal: number) => {
    const worst = of.toSorted((a, b) => b.p50Ms - a.p50Ms)[0];
    return figure(`${name}: ${worst && nameOf(worst)}`, worst?.p50Ms ?? NaN, floor, goal);
  };
  return {
    figures: [
      slowest("slowest filter or pair of filters", lists, 50, 10),
      slowest("slowest order or page 1,000", sorts, 100, 30),
      slowest("slowest newest log lines", logs, 100, 30),
      slowest("slowest chart", charts, 50, 15),
      figure("another client beside lists by label, p99", beside.p99Ms, 100, 30),
      figure("boot", boot, 300, 200),
      figure("first list after boot", first, 300, 150),
      {
        ...{ row: 24, name: `${stored}: memory afterwards`, measured: inMegabytes(residentBytes), limit: "" },
        ...{ value: residentBytes / 1e6, unit: "MB", better: "lower", floor: 400, goal: 250 },
      },
    ],
    notes: [...lists, ...sorts, ...logs, ...charts, beside].map((latency) =>
      `${nameOf(latency)} p50 ${inMs(latency.p50Ms)}, first ${inMs(latency.firstMs)}`
    ),
  };
}

/** Lets a server write the column file, as a server does that has run for a while: the second list waits for it. */
async function writeColumns(bench: Bench, dataDir: string): Promise<void> {
  await using server = await bench.startServer({ dataDir });
  await search(server.url, "?size=1");
  await search(server.url, "?size=1");
}

function nameOf({ path }: Latency): string {
  return decodeURIComponent(path.replace(searchPath(""), "").replace("/api/v1/main/", ""));
}

async function afterBoot(
  bench: Bench,
  dataDir: string,
): Promise<{ bootMs: number[]; firstMs: number[] }> {
  const [bootMs, firstMs]: [number[], number[]] = [[], []];
  for (let boot = 0; boot < BOOTS; boot++) {
    await using server = await bench.startServer({ dataDir });
    const [latency] = await measureLatency({
      url: server.url,
      requests: [{ method: "GET", path: searchPath("?size=25") }],
      rounds: 1,
    });
    bootMs.push(server.bootMs);
    firstMs.push(latency?.firstMs ?? NaN);
  }
  return { bootMs, firstMs };
}

async function timed({ url }: ServerUnderTest, requests: readonly TimedRequest[]): Promise<Latency[]> {
  return await measureLatency({ url, requests, rounds: ROUNDS });
}

/** What another client waits for while one lists by labels. A label that no list has counted reads all rows: with 10 million, each. */
async function besideLists({ url }: ServerUnderTest): Promise<Latency> {
  const labels = Array.from({ length: NEW_FILTERS }, (_, index) => `labels=customer:${FIRST_LABEL + index}`);
  const [[beside]] = await Promise.all([
    measureLatency({ url, requests: [{ method: "GET", path: "/health" }], seconds: BESIDE_SECONDS }),
    measureLatency({
      url,
      requests: labels.map((label) => get(`?size=25&${label}`)),
      seconds: BESIDE_SECONDS,
    }),
  ]);
  if (!beside) throw new Error("The client measured nothing");
  return beside;
}

/** Each kind of filter alone, and pairs of them. */
async function listRequests(url: string): Promise<TimedRequest[]> {
  const [newest] = (await search(url, "?size=1")).results;
  const now = Date.now();
  const at = (days: number) => new Date(now - days * DAY_MS).toISOString();
  const [namespace, flow] = [`namespace=${bulkNamespace(3)}`, `flowId=${bulkFlowId(7)}`];
  const window = `startDate=${at(BULK_DAYS * 0.7)}&endDate=${at(BULK_DAYS * 0.3)}`;
  const single = [
    ...["", namespace, flow, "filters[namespace][REGEX]=team[0-4]$"],
    ...["state=FAILED", "state=SUCCESS", "state=CREATED", "filters[state][NOT_IN]=SUCCESS,FAILED"],
    ...[
      "labels=env:prod",
      "labels=customer:4711",
      "labels=none:such",
      "filters[labels][NOT_EQUALS][env]=prod",
    ],
    ...[window, `filters[endDate][GREATER_THAN]=${at(BULK_DAYS * 0.5)}`, "kind=TEST", "childFilter=CHILD"],
    ...[`triggerExecutionId=${newest?.id}`, "q=team3", "q=nowhere", `q=${newest?.id.slice(4, 16)}`],
  ];
  const pairs = [
    `${namespace}&${flow}`,
    `${namespace}&state=FAILED`,
    `${namespace}&labels=env:prod`,
    "labels=env:prod&labels=team:3",
    "labels=env:prod&state=FAILED",
    `${window}&state=FAILED`,
    `${window}&labels=region:region-1`,
    "q=nowhere&state=SUCCESS",
  ];
  return [...single, ...pairs].map((query) => get(`?size=25&${query}`));
}

function sortRequests(): TimedRequest[] {
  const fields = ["id", "namespace", "flowId", "state.current"];
  const dates = ["state.startDate", "state.endDate", "state.duration"];
  const orders = [...fields, ...dates].flatMap((field) => [`sort=${field}:asc`, `sort=${field}:desc`]);
  const [namespace, flow] = [`namespace=${bulkNamespace(3)}`, `flowId=${bulkFlowId(7)}`];
  const filtered = [flow, "state=FAILED", "labels=env:prod"];
  const pages = ["", namespace, flow, "state=FAILED", "labels=env:prod", "sort=state.duration:desc"];
  return [
    ...orders,
    ...filtered.map((filter) => `${filter}&sort=state.duration:desc`),
    ...filtered.map((filter) => `${filter}&sort=state.startDate:desc`),
    ...pages.map((filter) => `page=1000&${filter}`),
    `page=1000&${flow}&sort=state.startDate:desc`,
  ].map((query) => get(`?size=25&${query}`));
}

/** The newest lines of all flows, of one that logs in each execution, of one that never does, and of a level without lines. */
function logRequests(): TimedRequest[] {
  const ofFlow = (flow: number) => `&namespace=${bulkNamespace(flow)}&flowId=${bulkFlowId(flow)}`;
  return ["", ofFlow(7), ofFlow(8), `${ofFlow(7)}&minLevel=ERROR`].map((query) => ({
    method: "GET",
    path: `/api/v1/main/logs/search?size=25${query}`,
  }));
}

function get(query: string): TimedRequest {
  return { method: "GET", path: searchPath(encodeURI(query)) };
}

const COLUMN = {
  date: { field: "START_DATE" },
  state: { field: "STATE" },
  namespace: { field: "NAMESPACE" },
  flow: { field: "FLOW_ID" },
  total: { field: "ID", agg: "COUNT" },
  average: { field: "DURATION", agg: "AVG" },
  longest: { field: "DURATION", agg: "MAX" },
  p50: { field: "DURATION", agg: "P50" },
  p95: { field: "DURATION", agg: "P95" },
};
const FAILED = [{ field: "STATE", type: "EQUAL_TO", value: "FAILED" }];
const ONE_FLOW = [{ field: "FLOW_ID", type: "EQUAL_TO", value: bulkFlowId(7) }];
const { date, state, namespace, flow, total, average, longest, p50, p95 } = COLUMN;
/** What dashboards show, over the last 30 days. */
const CHARTS = new Map<string, object>([
  ["days and states", { columns: { date, state, total } }],
  ["days and states with durations", { columns: { date, state, total, average } }],
  ["days and states with quantiles of durations", { columns: { date, state, p50, p95 } }],
  ["days of a flow with a quantile of durations", { columns: { date, p95 }, where: ONE_FLOW }],
  ["flows with quantiles of durations", { columns: { namespace, flow, p50, p95 } }],
  ["namespaces with quantiles of durations", { columns: { namespace, p50, p95 } }],
  ["states", { columns: { state, total } }],
  ["namespaces and states", { columns: { namespace, state, total } }],
  ["flows with durations", { columns: { namespace, flow, total, average, longest } }],
  ["flows that fail most", {
    columns: { namespace, flow, total },
    where: FAILED,
    orderBy: [{ column: "total", order: "DESC" }],
  }],
]);

async function timedCharts({ url }: ServerUnderTest): Promise<Latency[]> {
  const requests = [...CHARTS.values()].map((data) => ({
    method: "POST" as const,
    path: "/api/v1/main/dashboards/charts/preview",
    body: chartBody(data),
  }));
  const headers = { "content-type": "application/json" };
  const latencies = await measureLatency({ url, requests, headers, rounds: ROUNDS });
  return [...CHARTS.keys()].map((path, index) => ({ ...latencies[index] as Latency, path }));
}

function chartBody(data: object): string {
  const source = {
    id: "chart",
    type: "io.kestra.plugin.core.dashboard.chart.Table",
    data: { type: "io.kestra.plugin.core.dashboard.data.Executions", ...data },
  };
  const end = new Date();
  const start = new Date(end.getTime() - BULK_DAYS * DAY_MS);
  const window = { startDate: start.toISOString(), endDate: end.toISOString() };
  return JSON.stringify({
    chart: JSON.stringify(source),
    globalFilter: { pageSize: 10, pageNumber: 1, ...window },
  });
}
