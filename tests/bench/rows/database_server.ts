/** Row 23: completed one-task executions a second at 64 clients on denokv ÷ on a file. */
import { Denokv, DENOKV_TOKEN, hasDenokv } from "../../support/servers/denokv.ts";
import { createFlow, pureFlow, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { perSecond, type RowResult } from "../figures.ts";
import type { ServerUnderTest } from "../servers/server_under_test.ts";
import type { Row } from "./row.ts";

const CONNECTIONS = 64;
const FLOW = "one";
const KEY = btoa("k".repeat(32));
const TITLE = "completed one-task executions, 64 clients: denokv ÷ file";

/** What a database server costs. */
export const databaseServerRow: Row = { number: 23, name: "database-server", title: TITLE, measure };

async function measure(bench: Bench): Promise<RowResult> {
  if (!hasDenokv()) return { figures: [], notes: ["not measured: the program denokv is missing"] };
  await using database = await Denokv.start(`${await bench.freshFolder()}/database.db`);
  const args = [
    ...["--database", database.url, "--database-token", DENOKV_TOKEN],
    ...["--encryption-key", KEY],
  ];
  await using file = await bench.startServer();
  await using remote = await bench.startServer({ args });
  for (const { url } of [file, remote]) await createFlow(url, pureFlow(FLOW));
  const latencies: string[] = [];
  const rate = (name: string, server: ServerUnderTest) => async (seconds: number) => {
    const load = { server, paths: [startPath(FLOW)], connections: CONNECTIONS, seconds };
    const { completedPerSecond, p50Ms, p99Ms } = await bench.loadExecutions(load);
    latencies.push(`${name}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
    return completedPerSecond;
  };
  const [limit = NaN, measured = NaN] = await bench.byTurns(rate("file", file), rate("denokv", remote));
  return {
    figures: [{
      row: 23,
      name: TITLE,
      measured: perSecond(measured),
      limit: perSecond(limit),
      value: measured / limit,
      unit: "",
      better: "higher",
      floor: 0.4,
      goal: 0.6,
    }],
    notes: latencies.slice(2),
  };
}
