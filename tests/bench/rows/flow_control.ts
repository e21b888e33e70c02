/** Row 13: flows that branch, loop and start others, from start to end as one client sees it ÷ a raw POST, or ÷ one execution. */
import { createFlow, flowOf, pureFlow } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, type RowResult, type ServerMetric } from "../figures.ts";
import { measureLatency, waitedMs } from "../load/latency_client.ts";
import { RAW_BODY } from "../servers/raw_server.ts";
import type { ServerUnderTest } from "../servers/server_under_test.ts";
import { queueFigure } from "./queue.ts";
import type { Row } from "./row.ts";

const CORE = "io.svc.plugin.core";
const RETURN = `type: ${CORE}.debug.Return`;
const CHAIN = 10;

/** Flow control. */
export const flowControlRow: Row = {
  number: 13,
  name: "flow-control",
  title: "loops, branches, subflows, 1 client ÷ raw POST",
  measure,
};

/** A flow, and what its time is compared with. */
interface Shape {
  readonly id: string;
  readonly name: string;
  readonly tasks: string;
  readonly floor: number;
  readonly goal: number;
}

const SHAPES: readonly Shape[] = [
  { id: "each-100", name: "ForEach of 100 values, unlimited", tasks: forEach(100), floor: 15, goal: 8 },
  {
    id: "each-1000",
    name: "ForEach of 1,000 values, unlimited",
    tasks: forEach(1_000),
    floor: 150,
    goal: 80,
  },
  {
    id: "nested",
    name: "ForEach of 10 × 10 values",
    tasks:
      `{id: o, type: ${CORE}.flow.ForEach, values: "{{ range(1, 10) }}", tasks: [{id: i, type: ${CORE}.flow.ForEach, values: "{{ range(1, 10) }}", tasks: [${
        returns("t")
      }]}]}`,
    floor: 20,
    goal: 10,
  },
  {
    id: "parallel",
    name: "Parallel of 50",
    tasks: `{id: p, type: ${CORE}.flow.Parallel, tasks: [${list(50, (n) => returns(`t${n}`))}]}`,
    floor: 10,
    goal: 5,
  },
  {
    id: "dag",
    name: "Dag of 100 in layers of 10",
    tasks: `{id: d, type: ${CORE}.flow.Dag, tasks: [${list(100, layered)}]}`,
    floor: 20,
    goal: 10,
  },
  {
    id: "retry",
    name: "three attempts without delay",
    tasks:
      `{id: f, type: ${CORE}.execution.Fail, allowFailure: true, retry: {type: constant, interval: PT0S, maxAttempt: 3}}`,
    floor: 6,
    goal: 3,
  },
];

async function measure(bench: Bench): Promise<RowResult> {
  await using raw = await bench.startRaw();
  await using server = await bench.startServer();
  for (const { id, tasks } of SHAPES) await createFlow(server.url, flowOf(id, tasks));
  await createChain(server);
  const rawPost = { method: "POST", path: "/raw", body: RAW_BODY } as const;
  const limitSide = async (seconds: number) =>
    (await measureLatency({ url: raw.url, requests: [rawPost], seconds }))[0]?.p50Ms ?? NaN;
  const paths = [...SHAPES.map(({ id }) => id), "link-0", `link-${CHAIN}`];
  const sides = paths.map((id) => waitSide(server, id));
  const [limit = NaN, ...found] = await bench.byTurns(limitSide, ...sides);
  const [one = NaN, chain = NaN] = found.slice(SHAPES.length);
  const figures = SHAPES.map((shape, index) => serverMetric(shape, found[index] ?? NaN, limit));
  figures.push(
    serverMetric({ name: `chain of ${CHAIN} subflows ÷ one execution`, floor: 10, goal: 8 }, chain, one),
  );
  figures.push(await queueFigure(bench, server));
  return { figures, notes: [`one execution with wait=true ${inMs(one)}, raw POST ${inMs(limit)}`] };
}

function serverMetric(
  { name, floor, goal }: Pick<Shape, "name" | "floor" | "goal">,
  measuredMs: number,
  limitMs: number,
): ServerMetric {
  return {
    row: 13,
    name,
    measured: inMs(measuredMs),
    limit: inMs(limitMs),
    value: measuredMs / limitMs,
    unit: "",
    better: "lower",
    floor,
    goal,
  };
}

function waitSide({ url }: ServerUnderTest, id: string) {
  return (seconds: number) => waitedMs(url, id, seconds);
}

/** `link-n` waits for `link-(n-1)`. */
async function createChain(server: ServerUnderTest): Promise<void> {
  await createFlow(server.url, pureFlow("link-0"));
  for (let n = 1; n <= CHAIN; n++) {
    const task = `{id: s, type: ${CORE}.flow.Subflow, namespace: bench, flowId: link-${n - 1}}`;
    await createFlow(server.url, flowOf(`link-${n}`, task));
  }
}

function forEach(values: number): string {
  const range = `"{{ range(1, ${values}) }}"`;
  return `{id: e, type: ${CORE}.flow.ForEach, values: ${range}, concurrencyLimit: 0, tasks: [${
    returns("t")
  }]}`;
}

function returns(id: string): string {
  return `{id: ${id}, ${RETURN}, format: "value"}`;
}

function layered(n: number): string {
  const above = Array.from({ length: n < 10 ? 0 : 1 }, () => `t${n - 10}`);
  return `{task: ${returns(`t${n}`)}, dependsOn: [${above.join(", ")}]}`;
}

function list(count: number, make: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => make(n)).join(", ");
}
