/** Row 3: task runs a second of a flow of 40 pure tasks at 64 clients ÷ raw POSTs. */
import { createFlow, pureFlow } from "../api.ts";
import type { Bench } from "../bench.ts";
import { perSecond, type RowResult } from "../figures.ts";
import type { Row } from "./row.ts";

const TASKS = 40;
const CONNECTIONS = 64;
const FLOW = "forty";

/** Task runs a second of a pure flow. */
export const pureFlowRow: Row = {
  number: 3,
  name: "pure-flow",
  title: "task runs of a 40-task pure flow, 64 clients ÷ raw POST",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using raw = await bench.startRaw();
  await using server = await bench.startServer();
  await createFlow(server.url, pureFlow(FLOW, TASKS));
  const [limit = NaN, executions = NaN] = await bench.byTurns(
    (seconds) => bench.rawRate(raw, CONNECTIONS, seconds),
    (seconds) => bench.executionRate(server, FLOW, { seconds }),
  );
  const taskRuns = executions * TASKS;
  return {
    figures: [{
      row: 3,
      name: "task runs of a 40-task pure flow, 64 clients ÷ raw POST",
      measured: perSecond(taskRuns),
      limit: perSecond(limit),
      value: taskRuns / limit,
      unit: "",
      better: "higher",
      floor: 4,
      goal: 6,
    }],
    notes: [`${perSecond(executions)} executions`],
  };
}
