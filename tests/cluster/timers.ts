/**
 * `deno task test:cluster:timers`: how fast a leader fires timers that are due at the same time, with its database on
 * a server. Executions are scheduled for one date; `TMPDIR` is where the database is.
 */
import { print, runTask, type ValuesOf, wholeNumber } from "../support/processes/command_line.ts";
import { hasDenokv } from "../support/servers/denokv.ts";
import { Cluster, pause } from "./cluster.ts";

const CLIENTS = 32;
/** Starts take less than that. */
const MS_PER_START = 4;
const POLL_MS = 100;
const FLOW = "{id: one, namespace: demo, tasks: [{id: a, type: io.svc.plugin.core.debug.Return, format: x}]}";

async function countEnded(url: string): Promise<number> {
  const query = "namespace=demo&flowId=one&state=SUCCESS&size=1";
  const response = await fetch(`${url}/api/v1/main/executions/search?${query}`);
  return (await response.json()).total;
}

async function measure(folder: string, count: number): Promise<void> {
  await using cluster = await Cluster.start({ folder, servers: 1, leaseTtl: "5s" });
  const { url } = await cluster.leader();
  const headers = { "content-type": "application/x-yaml" };
  const saved = await fetch(`${url}/api/v1/main/flows`, { method: "POST", headers, body: FLOW });
  await saved.body?.cancel();
  const dueAt = Date.now() + 2_000 + count * MS_PER_START;
  const path = `/api/v1/main/executions/demo/one?scheduleDate=${new Date(dueAt).toISOString()}`;
  let left = count;
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (left-- > 0) await (await fetch(url + path, { method: "POST" })).text();
  }));
  if (Date.now() >= dueAt) throw new Error("The starts took longer than the timers wait");
  await pause(dueAt - Date.now());
  while (await countEnded(url) < count) await pause(POLL_MS);
  const ms = Date.now() - dueAt;
  print(`${count} timers due at once: all fired after ${ms} ms, ${(count / ms * 1000).toFixed(0)} a second`);
}

const OPTIONS = { count: wholeNumber("executions that are scheduled", 5_000) };

async function run({ count }: ValuesOf<typeof OPTIONS>): Promise<number> {
  if (!hasDenokv()) {
    print("Skipped: there is no program denokv; the variable DENOKV names it");
    return 0;
  }
  const folder = await Deno.makeTempDir({ prefix: "sluice-timers-" });
  await measure(folder, count);
  await Deno.remove(folder, { recursive: true });
  return 0;
}

if (import.meta.main) await runTask("test:cluster:timers", OPTIONS, run);
