/** Row 20: what removing old executions costs a client that starts new ones. */
import { createFlow, pureFlow, search, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, type RowResult, type ServerMetric } from "../figures.ts";
import { type Latency, measureLatency } from "../load/latency_client.ts";
import { startUntil } from "../seeding/seeding.ts";
import { pause, type ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const FLOW = "kept-a-while";
/** A part of the executions of a full store is removed. */
const REMOVED_SHARE = 0.1;
const KEPT = 100;
/** With fewer, a part of the starts is measured without removals. */
const MIN_REMOVED = 1_000;
/** The server looks for old executions for the first time a minute after its boot. */
const BEGIN_MS = 90_000;
const LOOK_MS = 50;
const SETTLE_MS = 5_000;

/** Retention. */
export const retentionRow: Row = {
  number: 20,
  name: "retention",
  title: "starts of one client while old executions are removed",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  const dataDir = await bench.freshFolder();
  const stored = await store(bench, dataDir);
  await using server = await bench.startServer({ dataDir, args: ["--retention-count", String(KEPT)] });
  await pause(SETTLE_MS);
  const seconds = bench.options.seconds * bench.options.rounds / 2;
  const without = await starts(server, seconds);
  const before = await untilRemoving(server);
  const beside = await starts(server, seconds);
  const removed = before + beside.count - (await search(server.url, "?size=1")).total;
  if (removed < MIN_REMOVED) throw new Error(`Only ${removed} executions were removed meanwhile`);
  return {
    figures: [
      added("removing adds to a start, p99", beside.p99Ms, without.p99Ms),
      added("removing adds to a start, slowest", beside.maxMs, without.maxMs),
    ],
    notes: [
      `${removed} of ${stored} executions removed in ${seconds} s beside ${beside.count} starts; p50 ${
        inMs(beside.p50Ms)
      }, without ${inMs(without.p50Ms)}`,
    ],
  };
}

function added(name: string, besideMs: number, withoutMs: number): ServerMetric {
  return {
    row: 20,
    name,
    measured: inMs(besideMs),
    limit: inMs(withoutMs),
    value: besideMs - withoutMs,
    unit: "ms",
    better: "lower",
    floor: 10,
    goal: 5,
  };
}

async function store(bench: Bench, dataDir: string): Promise<number> {
  await using server = await bench.startServer({ dataDir });
  await createFlow(server.url, pureFlow(FLOW));
  const wanted = Math.ceil(bench.options.executions * REMOVED_SHARE);
  bench.say(`  stores ${wanted} executions`);
  await startUntil(bench, server, [startPath(FLOW)], wanted);
  return (await search(server.url, "?size=1")).total;
}

async function starts({ url }: ServerUnderTest, seconds: number): Promise<Latency> {
  const requests = [{ method: "POST", path: startPath(FLOW) } as const];
  const [latency] = await measureLatency({ url, requests, seconds });
  if (!latency) throw new Error("The client measured nothing");
  return latency;
}

/** Waits for the first removals; how many executions are left. */
async function untilRemoving({ url }: ServerUnderTest): Promise<number> {
  const count = async () => (await search(url, "?size=1")).total;
  const [before, deadline] = [await count(), performance.now() + BEGIN_MS];
  for (let total = before;; total = await count()) {
    if (total < before) return total;
    if (performance.now() > deadline) throw new Error("The server removes nothing");
    await pause(LOOK_MS);
  }
}
