/** Row 9: resident memory of a server that has nothing to do, freshly booted and after many executions. */
import type { Bench } from "../bench.ts";
import { inMegabytes, type RowResult, type ServerMetric } from "../figures.ts";
import { pause } from "../server_under_test.ts";
import type { Row } from "./row.ts";

const IDLE_MS = 2_000;

/** Idle memory. */
export const memoryRow: Row = { number: 9, name: "memory", title: "idle memory", measure };

async function measure(bench: Bench): Promise<RowResult> {
  const idle = await idleBytes(bench);
  const { residentBytes, executions, dataDir } = await bench.seeded();
  const booted = await idleBytes(bench, dataDir);
  return {
    figures: [
      serverMetric("idle memory from source", idle, { floor: 120, goal: 80 }),
      serverMetric(`after ${executions.toLocaleString("en")} executions`, residentBytes, {
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

function serverMetric(
  name: string,
  bytes: number,
  bounds: Pick<ServerMetric, "floor" | "goal">,
): ServerMetric {
  const measured = inMegabytes(bytes);
  return { row: 9, name, measured, limit: "", value: bytes / 1e6, unit: "MB", better: "lower", ...bounds };
}
