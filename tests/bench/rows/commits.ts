/** Row 10: commits an execution at 64 clients, and rows of the queue at any time. */
import { createFlow, pureFlow, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { DatabaseFile } from "../database_file.ts";
import type { RowResult } from "../figures.ts";
import type { Row } from "./row.ts";

const FLOW = "one";
const SAMPLE_INTERVAL_MS = 100;

/** Commits and queue rows. */
export const commitsRow: Row = {
  number: 10,
  name: "commits",
  title: "commits an execution at 64 clients; queue rows",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using server = await bench.startServer();
  await createFlow(server.url, pureFlow(FLOW));
  await bench.executionRate(server, FLOW, { seconds: 1 });
  using database = new DatabaseFile(server.databasePath);
  const before = database.commitNumber();
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(database.queueRows()), SAMPLE_INTERVAL_MS);
  const { seconds } = bench.options;
  const paths = [startPath(FLOW)];
  const { completed } = await bench.loadExecutions({ server, paths, connections: 64, seconds });
  clearInterval(sampling);
  const commits = database.commitNumber() - before;
  const queueRows = Math.max(...samples);
  return {
    figures: [
      {
        row: 10,
        name: "commits an execution, 64 clients",
        measured: String(commits),
        limit: `${completed} executions`,
        value: commits / completed,
        unit: "",
        better: "lower",
        floor: 0.1,
        goal: 0.04,
      },
      {
        row: 10,
        name: "queue rows at any time",
        measured: String(queueRows),
        limit: "",
        value: queueRows,
        unit: "rows",
        better: "lower",
        floor: 9,
        goal: 3,
      },
    ],
    notes: [`${samples.length} looks at the queue`],
  };
}
