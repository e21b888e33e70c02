/** Row 16: what an execution with 10,000 ready children costs the executions of others. */
import { createFlow, flowOf, pureFlow, search, start, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, median, type RowResult, type ServerMetric } from "../figures.ts";
import { type Latency, measureLatency } from "../load/latency_client.ts";
import { pause, type ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const SMALL = "small";
const LARGE = "large";
const CHILDREN = 10_000;
const LOOK_MS = 10;
const CORE = "io.svc.plugin.core";

/** Fairness. */
export const fairnessRow: Row = {
  number: 16,
  name: "fairness",
  title: `executions of one client beside one with ${CHILDREN.toLocaleString("en")} ready children`,
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using server = await bench.startServer();
  await createFlow(server.url, pureFlow(SMALL));
  await createFlow(server.url, flowOf(LARGE, loop()));
  const alone: Latency[] = [], beside: Latency[] = [];
  let loops = 0;
  await bench.byTurns(
    (seconds) => watch(alone, () => smallOnes(server, seconds)),
    (seconds) =>
      watch(beside, async () => {
        const others = smallOnes(server, seconds);
        loops += await loopUntil(server, others);
        return await others;
      }),
  );
  const of = (side: readonly Latency[], field: "p50Ms" | "p99Ms" | "maxMs") =>
    median(side.slice(1).map((latency) => latency[field]));
  const p50 = [of(beside, "p50Ms"), of(alone, "p50Ms")] as const;
  const slowest = [of(beside, "maxMs"), of(alone, "maxMs")] as const;
  return {
    figures: [
      added("a loop of 10,000 adds to other executions, p50", p50, { floor: 20, goal: 5 }),
      added("a loop of 10,000 adds to other executions, slowest", slowest, { floor: 50, goal: 20 }),
    ],
    notes: [
      `${loops} loops, one after the other; p50 ${ratio(p50)}, slowest ${ratio(slowest)} × without`,
      `p99 ${inMs(of(beside, "p99Ms"))}, without ${inMs(of(alone, "p99Ms"))}`,
    ],
  };
}

function added(
  name: string,
  [beside, alone]: readonly [number, number],
  bounds: Pick<ServerMetric, "floor" | "goal">,
): ServerMetric {
  const [measured, limit] = [inMs(beside), inMs(alone)];
  return { row: 16, name, measured, limit, value: beside - alone, unit: "ms", better: "lower", ...bounds };
}

function ratio([beside, alone]: readonly [number, number]): string {
  return (beside / alone).toFixed(1);
}

async function watch(found: Latency[], run: () => Promise<Latency>): Promise<number> {
  const latency = await run();
  found.push(latency);
  return latency.p50Ms;
}

async function smallOnes({ url }: ServerUnderTest, seconds: number): Promise<Latency> {
  const requests = [{ method: "POST", path: startPath(SMALL, "?wait=true") } as const];
  const [latency] = await measureLatency({ url, requests, seconds });
  if (!latency) throw new Error("The client measured nothing");
  return latency;
}

/** Keeps one loop under way until the others are done; how many there were. Nobody asks for its 10,000 task runs. */
async function loopUntil({ url }: ServerUnderTest, others: Promise<unknown>): Promise<number> {
  let isOver = false;
  void others.finally(() => isOver = true).catch(() => {});
  const ended = async () => (await search(url, `?size=1&flowId=${LARGE}&state=SUCCESS`)).total;
  let loops = 0;
  for (; !isOver; loops++) {
    const before = await ended();
    await start(url, LARGE);
    while (!isOver && await ended() === before) await pause(LOOK_MS);
  }
  return loops;
}

function loop(): string {
  const task = `{id: t, type: ${CORE}.debug.Return, format: "{{ taskrun.value }}"}`;
  return `{id: e, type: ${CORE}.flow.ForEach, values: "{{ range(1, ${CHILDREN}) }}", concurrencyLimit: 0, tasks: [${task}]}`;
}
