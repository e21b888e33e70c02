/** Row 4: completed executions a second with Basic authentication ÷ without. */
import { createFlow, pureFlow } from "../api.ts";
import type { Bench } from "../bench.ts";
import { perSecond, type RowResult } from "../figures.ts";
import type { Row } from "./row.ts";

const FLOW = "one";
const CREDENTIALS = "bench:a password of some length";

/** What a login costs. */
export const authenticationRow: Row = {
  number: 4,
  name: "authentication",
  title: "completed executions with Basic authentication ÷ without",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using open = await bench.startServer();
  await using locked = await bench.startServer({ args: ["--basic-auth", CREDENTIALS] });
  const headers = { authorization: `Basic ${btoa(CREDENTIALS)}` };
  await createFlow(open.url, pureFlow(FLOW));
  await createFlow(locked.url, pureFlow(FLOW), headers);
  const [without = NaN, withLogin = NaN] = await bench.byTurns(
    (seconds) => bench.executionRate(open, FLOW, { seconds }),
    (seconds) => bench.executionRate(locked, FLOW, { seconds, headers }),
  );
  return {
    figures: [{
      row: 4,
      name: "completed executions with Basic authentication ÷ without",
      measured: perSecond(withLogin),
      limit: perSecond(without),
      value: withLogin / without,
      unit: "",
      better: "higher",
      floor: 0.9,
      goal: 0.97,
    }],
    notes: [],
  };
}
