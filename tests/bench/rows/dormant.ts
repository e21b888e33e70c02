/** Row 18: executions that wait: what they cost a server that has nothing to do, and its boot. */
import { createFlow, flowOf, search, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, inPercent, median, type RowResult, type ServerMetric } from "../figures.ts";
import { startUntil } from "../seeding/seeding.ts";
import { pause, type ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const CORE = "io.svc.plugin.core";
const WAITING = 1_000;
/** A tenth of the executions of a full store. */
const STORED_SHARE = 0.1;
/** V8 collects what the work before has left some 10 s after its end. */
const SETTLE_MS = 20_000;
const IDLE_MS = 5_000;
const BOOTS = 5;

/** Dormant executions. */
export const dormantRow: Row = {
  number: 18,
  name: "dormant",
  title: "executions that are paused or wait to be tried again: idle CPU, boot",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  const dataDir = await bench.freshFolder();
  await using server = await bench.startServer({ dataDir });
  const paused = flowOf("paused", `{id: p, type: ${CORE}.flow.Pause}`);
  const retry = "{type: constant, interval: PT12H, maxAttempt: 5}";
  const retried = flowOf("retried", `{id: f, type: ${CORE}.execution.Fail, retry: ${retry}}`);
  for (const source of [paused, retried]) await createFlow(server.url, source);
  const none = await idleShare(server);
  for (const flowId of ["paused", "retried"]) await startExactly(server, flowId, WAITING);
  const waiting = await idleShare(server);
  const boot = await bootFigure(bench);
  const each = WAITING.toLocaleString("en");
  return {
    figures: [{
      row: 18,
      name: `idle CPU with ${each} paused and ${each} to be tried again − with none`,
      measured: inPercent(waiting),
      limit: inPercent(none),
      value: (waiting - none) * 100,
      unit: "%",
      better: "lower",
      floor: 2,
      goal: 0.5,
    }, boot],
    notes: [],
  };
}

/** Share of one core that an idle server uses. */
export async function idleShare(server: ServerUnderTest): Promise<number> {
  await pause(SETTLE_MS);
  const [before, startedAt] = [await server.cpuMs(), performance.now()];
  await pause(IDLE_MS);
  return (await server.cpuMs() - before) / (performance.now() - startedAt);
}

async function startExactly({ url }: ServerUnderTest, flowId: string, count: number): Promise<void> {
  const starts = Array.from({ length: count }, async () => {
    const response = await fetch(url + startPath(flowId), { method: "POST" });
    await response.body?.cancel();
  });
  await Promise.all(starts);
  const { total } = await search(url, `?size=1&flowId=${flowId}`);
  if (total !== count) throw new Error(`${total} of ${count} executions of "${flowId}" are stored`);
}

async function bootFigure(bench: Bench): Promise<ServerMetric> {
  const wanted = Math.ceil(bench.options.executions * STORED_SHARE);
  const [full, empty] = [await bench.freshFolder(), await bench.freshFolder()];
  bench.say(`  stores ${wanted} paused executions`);
  const stored = await storePaused(bench, full, wanted);
  const [fullMs, emptyMs] = await bootTimes(bench, full, empty);
  return {
    row: 18,
    name: `boot with ${stored.toLocaleString("en")} paused executions − with none`,
    measured: inMs(fullMs),
    limit: inMs(emptyMs),
    value: fullMs - emptyMs,
    unit: "ms",
    better: "lower",
    floor: 1_000,
    goal: 100,
  };
}

async function storePaused(bench: Bench, dataDir: string, wanted: number): Promise<number> {
  await using server = await bench.startServer({ dataDir });
  await createFlow(server.url, flowOf("paused", `{id: p, type: ${CORE}.flow.Pause}`));
  await startUntil(bench, server, [startPath("paused")], wanted);
  return (await search(server.url, "?size=1&state=PAUSED")).total;
}

/** Boots over each of the folders by turns; a median each. The first of each warms the cache of files. */
export async function bootTimes(bench: Bench, ...folders: readonly string[]): Promise<[number, number]> {
  const times = folders.map((): number[] => []);
  for (let boot = 0; boot <= BOOTS; boot++) {
    for (const [index, dataDir] of folders.entries()) {
      await using server = await bench.startServer({ dataDir });
      if (boot > 0) times[index]?.push(server.bootMs);
    }
  }
  const [first = NaN, second = NaN] = times.map(median);
  return [first, second];
}
