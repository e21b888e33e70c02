/** Row 1: completed one-task executions a second at 64 clients ÷ raw POSTs. */
import { createFlow, pureFlow, startPath } from "../api.ts";
import type { Bench, ExecutionRates } from "../bench.ts";
import { inMs, perSecond, type RowResult } from "../figures.ts";
import type { Row } from "./row.ts";

const CONNECTIONS = 64;
const FLOW = "one";

/** Completed one-task executions a second. */
export const throughputRow: Row = {
  number: 1,
  name: "throughput",
  title: "completed one-task executions, 64 clients ÷ raw POST",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using raw = await bench.startRaw();
  await using server = await bench.startServer();
  await createFlow(server.url, pureFlow(FLOW));
  const loads: ExecutionRates[] = [];
  const [limit = NaN, completed = NaN] = await bench.byTurns(
    (seconds) => bench.rawRate(raw, CONNECTIONS, seconds),
    async (seconds) => {
      const load = await bench.loadExecutions({
        server,
        paths: [startPath(FLOW)],
        connections: CONNECTIONS,
        seconds,
      });
      loads.push(load);
      return load.completedPerSecond;
    },
  );
  return { figures: figures(limit, completed, loads), notes: loads.slice(1).map(latencyNote) };
}

function figures(limit: number, completed: number, loads: readonly ExecutionRates[]): RowResult["figures"] {
  const accepted = loads.reduce((sum, load) => sum + load.accepted, 0);
  const done = loads.reduce((sum, load) => sum + load.completed, 0);
  return [
    {
      row: 1,
      name: "completed one-task executions, 64 clients ÷ raw POST",
      measured: perSecond(completed),
      limit: perSecond(limit),
      value: completed / limit,
      unit: "",
      better: "higher",
      floor: 0.45,
      goal: 0.65,
    },
    {
      row: 1,
      name: "completed ÷ accepted",
      measured: String(done),
      limit: String(accepted),
      // Starts that were under way when the load generator stopped counting complete too.
      value: Math.min(1, done / accepted),
      unit: "",
      better: "higher",
      floor: 0.999,
      goal: 0.999,
    },
  ];
}

function latencyNote({ p50Ms, p99Ms, completedPerSecond, failed }: ExecutionRates): string {
  return `${perSecond(completedPerSecond)}, answer p50 ${inMs(p50Ms)}, p99 ${inMs(p99Ms)}, ${failed} failed`;
}
