/** Row 21: what a script that does nothing takes beyond a task that does next to nothing ÷ the start of its process. */
import { createFlow, flowOf } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, median, type RowResult } from "../figures.ts";
import { waitedMs } from "../load/latency_client.ts";
import type { Row } from "./row.ts";

/** Reads a pair that is not there: what is stored of it is stored of every task with an effect. */
const READ = "reads";
const SCRIPT = "script";
const PLUGIN = "io.svc.plugin";

/** Scripts. */
export const scriptsRow: Row = {
  number: 21,
  name: "scripts",
  title: "what a script takes beyond a task with the cheapest effect, 1 client ÷ its process alone",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using server = await bench.startServer({ args: ["--scripts", "process"] });
  await createFlow(server.url, flowOf(READ, `{id: t, type: ${PLUGIN}.core.kv.Get, key: absent}`));
  await createFlow(
    server.url,
    flowOf(SCRIPT, `{id: t, type: ${PLUGIN}.scripts.shell.Commands, commands: ["true"]}`),
  );
  const [bare = NaN, read = NaN, script = NaN] = await bench.byShortTurns(
    bareMs,
    (seconds) => waitedMs(server.url, READ, seconds),
    (seconds) => waitedMs(server.url, SCRIPT, seconds),
  );
  return {
    figures: [{
      row: 21,
      name: "a script, without what any effect takes ÷ its process alone",
      measured: inMs(script - read),
      limit: inMs(bare),
      value: (script - read) / bare,
      unit: "",
      better: "lower",
      floor: 2,
      goal: 1.5,
    }],
    notes: [`start → SUCCESS with wait=true: read ${inMs(read)}, script ${inMs(script)}`],
  };
}

async function bareMs(seconds: number): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const start = performance.now();
    await new Deno.Command("sh", { args: ["-c", "true"] }).output();
    times.push(performance.now() - start);
  }
  return median(times);
}
