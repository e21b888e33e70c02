/**
 * `deno task test:cluster:large`: how long a take-over takes where the
 * database has a million executions and nearly as many live ones as a server may have. They wait for a worker that does not
 * come. `TMPDIR` is where the database is.
 */
import { type BulkBench, seedInBulk } from "../bench/seeding/bulk_seeding.ts";
import { createFlow, flowOf, pureFlow, startPath } from "../bench/api.ts";
import { ServerUnderTest } from "../bench/servers/server_under_test.ts";
import { print, runTask, text, type ValuesOf, wholeNumber } from "../support/processes/command_line.ts";
import { hasDenokv } from "../support/servers/denokv.ts";
import { Cluster, ENCRYPTION_KEY, pause } from "./cluster.ts";

/** Live executions leave room for those that are started meanwhile: a server refuses more than 20,000. */
const LIVE = 19_900;
const CLIENTS = 32;
const POLL_MS = 20;
/** A client that waits longer for a server that was killed measures nothing else. */
const TIMEOUT_MS = 3_000;
const WAITS =
  '{id: w, type: io.svc.plugin.scripts.shell.Commands, workerGroup: {key: none}, commands: ["true"]}';

/** The file of a database with that many executions. */
async function seed(folder: string, rows: number): Promise<string> {
  const args = ["--encryption-key", ENCRYPTION_KEY];
  const bench: BulkBench = {
    startServer: (options) => ServerUnderTest.start({ args, ...options, dataDir: folder }),
    say: print,
  };
  await seedInBulk(bench, rows, folder);
  return `${folder}/sluice.db`;
}

async function startMany(url: string, flowId: string, count: number): Promise<void> {
  let left = count;
  const client = async () => {
    while (left-- > 0) {
      const response = await fetch(url + startPath(flowId), { method: "POST" });
      const text = await response.text();
      if (!response.ok) throw new Error(`A start is refused: ${response.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Milliseconds until a server acknowledges a start. */
async function nextStart(url: string): Promise<number> {
  const sinceMs = performance.now();
  for (;;) {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url + startPath("one"), { method: "POST", signal }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return performance.now() - sinceMs;
    await pause(POLL_MS);
  }
}

/** Executions of the flow that waits, by the catalog. */
async function countWaiting(url: string): Promise<number> {
  const query = "namespace=bench&flowId=waits&size=1&state=RUNNING&state=CREATED";
  const response = await fetch(`${url}/api/v1/main/executions/search?${query}`);
  return (await response.json()).total;
}

/** True when each take-over kept all live executions. */
async function measure(folder: string, live: number, kills: number): Promise<boolean> {
  const args = ["--scripts", "off"];
  await using cluster = await Cluster.start({ folder, servers: 2, leaseTtl: "5s", args });
  const first = await cluster.leader();
  await createFlow(first.url, flowOf("waits", WAITS));
  await createFlow(first.url, pureFlow("one"));
  await startMany(first.url, "waits", live);
  let isKept = true;
  for (let kill = 1; kill <= kills; kill++) {
    const leader = await cluster.leader();
    const other = cluster.members.find((member) => member !== leader) ?? leader;
    const ended = leader.end("SIGKILL");
    const ms = await nextStart(other.url);
    await ended;
    const count = await countWaiting(other.url);
    isKept &&= count === live;
    print(`kill ${kill}: next acknowledged start after ${ms.toFixed(0)} ms, ${count} of ${live} live`);
    await leader.start();
  }
  return isKept;
}

const OPTIONS = {
  rows: wholeNumber("ended executions in the database", 1_000_000),
  live: wholeNumber("executions that have not ended", LIVE),
  kills: wholeNumber("times that the leader is killed", 3),
  database: text("a filled database, which is copied; without it one is filled", "<path>", undefined),
};

async function run({ rows, live, kills, database: given }: ValuesOf<typeof OPTIONS>): Promise<number> {
  if (!hasDenokv()) {
    print("Skipped: there is no program denokv; the variable DENOKV names it");
    return 0;
  }
  const folder = await Deno.makeTempDir({ prefix: "sluice-large-" });
  const database = given ?? await seed(folder, rows);
  await Deno.copyFile(database, `${folder}/database.db`);
  const isKept = await measure(folder, live, kills);
  await Deno.remove(folder, { recursive: true });
  return isKept ? 0 : 1;
}

if (import.meta.main) await runTask("test:cluster:large", OPTIONS, run);
