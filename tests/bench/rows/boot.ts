/** Row 8: boot over a full store with many scheduled executions ÷ over an empty one, from process start to `/health` 200. */
import type { Bench } from "../bench.ts";
import { inMs, median, type RowResult } from "../figures.ts";
import type { Row } from "./row.ts";

const BOOTS = 5;

/** Boot over a full store. */
export const bootRow: Row = {
  number: 8,
  name: "boot",
  title: "boot over a full store ÷ an empty one",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  const { dataDir: full, executions, scheduled } = await bench.seeded();
  const empty = await bench.freshFolder();
  const times = { full: [] as number[], empty: [] as number[] };
  // The first of each warms the cache of files, and makes what an empty folder lacks.
  for (let boot = 0; boot <= BOOTS; boot++) {
    const [emptyMs, fullMs] = [await bootMs(bench, empty), await bootMs(bench, full)];
    if (boot === 0) continue;
    times.empty.push(emptyMs);
    times.full.push(fullMs);
  }
  const [fullMs, emptyMs] = [median(times.full), median(times.empty)];
  const stored = `${executions.toLocaleString("en")} executions and ${
    scheduled.toLocaleString("en")
  } scheduled ones`;
  return {
    figures: [{
      row: 8,
      name: `boot with ${stored} ÷ with none`,
      measured: inMs(fullMs),
      limit: inMs(emptyMs),
      value: fullMs / emptyMs,
      unit: "",
      better: "lower",
      floor: 3,
      goal: 1.5,
    }],
    notes: [],
  };
}

async function bootMs(bench: Bench, dataDir: string): Promise<number> {
  await using server = await bench.startServer({ dataDir });
  return server.bootMs;
}
