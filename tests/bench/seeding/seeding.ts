/** Fills stores: with executions that a server would have written, and by starts. */
import { search, startPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { bulkFlowId, bulkNamespace, seedInBulk } from "./bulk_seeding.ts";
import type { ServerUnderTest } from "../servers/server_under_test.ts";

/** A full store. */
export interface SeededStore {
  readonly dataDir: string;
  readonly executions: number;
  readonly scheduled: number;
}

const CONNECTIONS = 64;
const CHUNK_SECONDS = 10;
/** Scheduled executions for each of the others. */
const SCHEDULED_SHARE = 0.1;
const FAR_AHEAD = "2099-01-01T00:00:00Z";

/** Fills a fresh store with `bench.options.executions` executions and a tenth as many scheduled ones. */
export async function seed(bench: Bench): Promise<SeededStore> {
  const { executions } = bench.options;
  const dataDir = await bench.freshFolder();
  await seedInBulk(bench, executions, dataDir);
  await using server = await bench.startServer({ dataDir });
  const stored = (await search(server.url, "?size=1")).total;
  const scheduled = Math.ceil(executions * SCHEDULED_SHARE);
  bench.say(`  starts ${scheduled.toLocaleString("en")} scheduled ones`);
  const path = startPath(bulkFlowId(0), `?scheduleDate=${FAR_AHEAD}`, bulkNamespace(0));
  await startUntil(bench, server, [path], stored + scheduled);
  return { dataDir, executions: stored, scheduled };
}

/** Puts load on the server until that many executions are stored: at first for as long as the rate so far suggests. */
export async function startUntil(
  bench: Bench,
  server: ServerUnderTest,
  paths: readonly string[],
  wanted: number,
): Promise<void> {
  let seconds = 1;
  for (let total = (await search(server.url, "?size=1")).total; total < wanted;) {
    const { accepted, failed, seconds: took } = await bench.generator.run({
      url: server.url,
      method: "POST",
      paths,
      connections: CONNECTIONS,
      seconds,
    });
    if (accepted === 0) throw new Error(`Cannot fill the store: ${failed} starts failed, none was accepted`);
    total = (await search(server.url, "?size=1")).total;
    seconds = Math.max(1, Math.min(CHUNK_SECONDS, (wanted - total) / (accepted / took)));
  }
}
