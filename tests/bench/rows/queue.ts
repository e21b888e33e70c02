/** Executions that wait for the only slot of their flow ÷ single commits, one after the other. */
import { createFlow, flowOf, resume, start } from "../api.ts";
import type { Bench } from "../bench.ts";
import { perSecond, type ServerMetric } from "../figures.ts";
import { rawCommitMs } from "../servers/raw_commit.ts";
import type { ServerUnderTest } from "../servers/server_under_test.ts";

const CORE = "io.svc.plugin.core";
const QUEUED = 1_000;
const STARTS_AT_ONCE = 50;

/** How fast the queue of a flow with one slot moves on. */
export async function queueFigure(bench: Bench, server: ServerUnderTest): Promise<ServerMetric> {
  const hold = `{id: p, type: ${CORE}.flow.Pause, runIf: "{{ labels.hold ?? false }}"}`;
  const work = `{id: r, type: ${CORE}.debug.Return, format: "{{ execution.id }}"}`;
  await createFlow(server.url, `concurrency: {limit: 1}\n${flowOf("limited", hold, work)}`);
  const folder = await bench.freshFolder();
  const [commitMs = NaN, rate = NaN] = await bench.byTurns(
    (seconds) => rawCommitMs(folder, seconds),
    () => drainRate(server),
  );
  return {
    row: 13,
    name: "queue of a flow with one slot, 1,000 wait ÷ single commits",
    measured: perSecond(rate),
    limit: perSecond(1_000 / commitMs),
    value: rate / (1_000 / commitMs),
    unit: "",
    better: "higher",
    floor: 0.8,
    goal: 1,
  };
}

/** Executions a second, from when the one that holds the slot goes on until the last of the queue has ended. */
async function drainRate({ url }: ServerUnderTest): Promise<number> {
  const holder = await start(url, "limited", "?labels=hold:true");
  for (let started = 0; started < QUEUED; started += STARTS_AT_ONCE) {
    await Promise.all(Array.from({ length: STARTS_AT_ONCE }, () => start(url, "limited")));
  }
  const last = start(url, "limited", "?wait=true");
  const before = performance.now();
  await resume(url, holder.id);
  await last;
  return (QUEUED + 1) / ((performance.now() - before) / 1_000);
}
