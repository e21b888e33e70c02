/** Row 7: the slowest filter or order of the executions list over a full store, and what lists cost those who start. */
import { createFlow, pureFlow, search, searchPath, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, perSecond, type RowResult, type ServerMetric } from "../figures.ts";
import { type Latency, measureLatency } from "../load/latency_client.ts";
import { bulkFlowId, bulkNamespace } from "../seeding/bulk_seeding.ts";
import type { ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const ROUNDS = 21;
const FLOW = "beside-lists";
const CONNECTIONS = 32;
/** Lists that are asked as the very first thing after a boot, one boot each. */
const AFTER_BOOT = ["?size=25", "?labels=customer:17", "?sort=state.duration:desc"];

/** Filters and orders. */
export const filtersRow: Row = {
  number: 7,
  name: "filters",
  title: "filters and orders over a full store",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  const { dataDir } = await bench.seeded();
  const first = await worstAfterBoot(bench, dataDir);
  await using server = await bench.startServer({ dataDir });
  const queries = await listQueries(server.url);
  const requests = queries.map((query) => ({ method: "GET", path: searchPath(query) } as const));
  const latencies = await measureLatency({ url: server.url, requests, rounds: ROUNDS });
  const slowest = latencies.toSorted((a, b) => b.p50Ms - a.p50Ms);
  await createFlow(server.url, pureFlow(FLOW));
  const [alone = NaN, beside = NaN] = await bench.byTurns(
    (seconds) => startsPerSecond(bench, server, seconds),
    (seconds) => startsBesideLists(bench, server, queries, seconds),
  );
  const [worst] = slowest;
  return {
    figures: [
      milliseconds(`slowest list, warm p50: ${queryOf(worst)}`, worst?.p50Ms ?? NaN, { floor: 40, goal: 10 }),
      milliseconds(`first list after boot: ${first.query}`, first.ms, { floor: 500, goal: 250 }),
      {
        row: 7,
        name: "starts, 32 clients, while one client lists ÷ without",
        measured: perSecond(beside),
        limit: perSecond(alone),
        value: beside / alone,
        unit: "",
        better: "higher",
        floor: 0.6,
        goal: 0.75,
      },
    ],
    notes: slowest.slice(0, 8).map((latency) =>
      `${queryOf(latency)} p50 ${inMs(latency.p50Ms)}, first ${inMs(latency.firstMs)}`
    ),
  };
}

function milliseconds(
  name: string,
  value: number,
  bounds: Pick<ServerMetric, "floor" | "goal">,
): ServerMetric {
  return { row: 7, name, measured: inMs(value), limit: "", value, unit: "ms", better: "lower", ...bounds };
}

function queryOf(latency: Latency | undefined): string {
  return decodeURIComponent(latency?.path.replace(searchPath(""), "") ?? "");
}

async function worstAfterBoot(bench: Bench, dataDir: string): Promise<{ query: string; ms: number }> {
  let worst = { query: "", ms: 0 };
  for (const query of AFTER_BOOT) {
    await using server = await bench.startServer({ dataDir });
    const requests = [{ method: "GET", path: searchPath(query) } as const];
    const [latency] = await measureLatency({ url: server.url, requests, rounds: 1 });
    if (latency && latency.firstMs > worst.ms) worst = { query, ms: latency.firstMs };
  }
  return worst;
}

async function startsPerSecond(bench: Bench, { url }: ServerUnderTest, seconds: number): Promise<number> {
  const paths = [startPath(FLOW)];
  const result = await bench.generator.run({ url, method: "POST", paths, connections: CONNECTIONS, seconds });
  return result.accepted / result.seconds;
}

async function startsBesideLists(
  bench: Bench,
  server: ServerUnderTest,
  queries: readonly string[],
  seconds: number,
): Promise<number> {
  const requests = queries.map((query) => ({ method: "GET", path: searchPath(query) } as const));
  const lists = measureLatency({ url: server.url, requests, seconds });
  const rate = await startsPerSecond(bench, server, seconds);
  await lists;
  return rate;
}

/** Every filter and every order once, on what the store holds. */
async function listQueries(url: string): Promise<string[]> {
  const date = async (order: string) =>
    (await search(url, `?size=1&sort=state.startDate:${order}`)).results[0]?.state.startDate ?? "";
  const [from, to] = [Date.parse(await date("asc")), Date.now()];
  const at = (share: number) => new Date(from + (to - from) * share).toISOString();
  const [newest] = (await search(url, "?size=1")).results;
  const namespace = bulkNamespace(3);
  const filters = [
    ...["", "page=100", "page=1000"],
    ...nameFilters(namespace),
    ...["state=FAILED", "state=SUCCESS", "state=CREATED", "filters[state][NOT_IN]=SUCCESS,FAILED"],
    ...["labels=env:prod", "labels=customer:17", "filters[labels][NOT_EQUALS][env]=prod", "labels=none:such"],
    ...[`startDate=${at(0.4)}&endDate=${at(0.6)}`, `startDate=${at(0.9)}`, `endDate=${at(0.3)}`],
    ...[
      `filters[startDate][LESS_THAN]=${at(0.5)}`,
      `filters[endDate][GREATER_THAN]=${at(0.5)}`,
      "timeRange=PT1M",
    ],
    ...["kind=TEST", "childFilter=CHILD", "childFilter=MAIN", "scope=USER", "scope=SYSTEM"],
    ...[
      `triggerExecutionId=${newest?.id}`,
      "q=team3",
      "q=flow-4 team",
      `q=${newest?.id.slice(4, 16)}`,
      "q=nowhere",
    ],
    `filters[namespace][PREFIX]=${namespace}&labels=env:prod&state=FAILED`,
    "filters[or][0][state][EQUALS]=FAILED&filters[or][1][flowId][EQUALS]=flow-7",
    ...ORDERS.flatMap((field) => [`sort=${field}:asc`, `sort=${field}:desc`]),
    "sort=namespace:asc&sort=state.duration:desc",
    `namespace=${namespace}&labels=env:prod&sort=state.duration:desc`,
  ];
  return filters.map((filter) => `?size=25&${encodeURI(filter)}`);
}

const ORDERS = [
  "id",
  "namespace",
  "flowId",
  "state.current",
  "state.startDate",
  "state.endDate",
  "state.duration",
];

function nameFilters(namespace: string): string[] {
  return [
    `namespace=${namespace}`,
    "namespace=company",
    `filters[namespace][EQUALS]=${namespace}`,
    `filters[namespace][REGEX]=team[0-4]`,
    `filters[namespace][CONTAINS]=eam7`,
    `flowId=${bulkFlowId(7)}`,
    `filters[flowId][IN]=${bulkFlowId(7)},${bulkFlowId(8)}`,
    `filters[flowId][ENDS_WITH]=9`,
    `filters[flowId][NOT_EQUALS]=${bulkFlowId(7)}`,
  ];
}
