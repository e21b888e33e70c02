/** Row 21: what a script that does nothing adds to an execution ÷ the start of its process. */
import { createFlow, flowOf, pureFlow } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, median, type RowResult } from "../figures.ts";
import { waitedMs } from "../latency_client.ts";
import type { Row } from "./row.ts";

const PURE = "pure";
const SCRIPT = "script";
const SHELL = "io.svc.plugin.scripts.shell.Commands";

/** Scripts. */
export const scriptsRow: Row = {
  number: 21,
  name: "scripts",
  title: "what a script adds to start → SUCCESS, 1 client ÷ its process alone",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  await using server = await bench.startServer({ args: ["--scripts", "process"] });
  await createFlow(server.url, pureFlow(PURE));
  await createFlow(server.url, flowOf(SCRIPT, `{id: t, type: ${SHELL}, commands: ["true"]}`));
  const [bare = NaN, pure = NaN, script = NaN] = await bench.byShortTurns(
    bareMs,
    (seconds) => waitedMs(server.url, PURE, seconds),
    (seconds) => waitedMs(server.url, SCRIPT, seconds),
  );
  return {
    figures: [{
      row: 21,
      name: "a script adds to an execution ÷ its process alone",
      measured: inMs(script - pure),
      limit: inMs(bare),
      value: (script - pure) / bare,
      unit: "",
      better: "lower",
      floor: 2,
      goal: 1.5,
    }],
    notes: [`start → SUCCESS with wait=true: pure ${inMs(pure)}, script ${inMs(script)}`],
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
