/** Row 5: completed executions a second over a full store ÷ over an empty one. */
import { createFlow, pureFlow } from "../api.ts";
import type { Bench } from "../bench.ts";
import { perSecond, type RowResult } from "../figures.ts";
import type { Row } from "./row.ts";

const FLOW = "full-store";

/** Speed over a full store. */
export const fullStoreRow: Row = {
  number: 5,
  name: "full-store",
  title: "completed executions over a full store ÷ an empty one",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  const { dataDir, executions } = await bench.seeded();
  await using full = await bench.startServer({ dataDir });
  await createFlow(full.url, pureFlow(FLOW));
  const [empty = NaN, stored = NaN] = await bench.byTurns(
    async (seconds) => {
      await using fresh = await bench.startServer();
      await createFlow(fresh.url, pureFlow(FLOW));
      await bench.executionRate(fresh, FLOW, { seconds: 1 });
      return await bench.executionRate(fresh, FLOW, { seconds });
    },
    (seconds) => bench.executionRate(full, FLOW, { seconds }),
  );
  return {
    figures: [{
      row: 5,
      name: `completed executions with ${executions.toLocaleString("en")} stored ÷ with none`,
      measured: perSecond(stored),
      limit: perSecond(empty),
      value: stored / empty,
      unit: "",
      better: "higher",
      floor: 0.9,
      goal: 0.97,
    }],
    notes: [],
  };
}
