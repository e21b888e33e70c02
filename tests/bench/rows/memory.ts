/** Row 9: resident memory of a server that has nothing to do, freshly booted and after many executions. */
import { search, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { bulkFlowId, bulkNamespace } from "../seeding/bulk_seeding.ts";
import { inMegabytes, type RowResult, type ServerMetric } from "../figures.ts";
import { startUntil } from "../seeding/seeding.ts";
import { pause } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const IDLE_MS = 2_000;
/** Executions that a server runs over the full store before its memory is read; fewer in a trial. */
const RUN_SHARE = 0.1;

/** Idle memory. */
export const memoryRow: Row = { number: 9, name: "memory", title: "idle memory", measure };

async function measure(bench: Bench): Promise<RowResult> {
  const idle = await idleBytes(bench);
  const { dataDir, executions } = await bench.seeded();
  const booted = await idleBytes(bench, dataDir);
  const { residentBytes, run } = await bytesAfterRun(bench, dataDir, executions);
  return {
    figures: [
      serverMetric("idle memory from source", idle, { floor: 120, goal: 80 }),
      serverMetric(`after ${run.toLocaleString("en")} executions over a full store`, residentBytes, {
        floor: 300,
        goal: 200,
      }),
    ],
    notes: [`booted over the full store ${inMegabytes(booted)}`],
  };
}

async function idleBytes(bench: Bench, dataDir?: string): Promise<number> {
  await using server = await bench.startServer({ dataDir });
  await pause(IDLE_MS);
  return await server.residentBytes();
}

async function bytesAfterRun(
  bench: Bench,
  dataDir: string,
  executions: number,
): Promise<{ readonly residentBytes: number; readonly run: number }> {
  await using server = await bench.startServer({ dataDir });
  const count = async () => (await search(server.url, "?size=1")).total;
  const before = await count();
  const path = startPath(bulkFlowId(0), "", bulkNamespace(0));
  await startUntil(bench, server, [path], before + Math.ceil(executions * RUN_SHARE));
  const run = await count() - before;
  await pause(IDLE_MS);
  return { residentBytes: await server.residentBytes(), run };
}

function serverMetric(
  name: string,
  bytes: number,
  bounds: Pick<ServerMetric, "floor" | "goal">,
): ServerMetric {
  const measured = inMegabytes(bytes);
  return { row: 9, name, measured, limit: "", value: bytes / 1e6, unit: "MB", better: "lower", ...bounds };
}
