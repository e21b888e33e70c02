/** What the platform knows of this process and of the size of its database. */
import { cpuUsage } from "node:process";
import type { ProcessFacts } from "../../model/server_metric.ts";

/** The database, and what SQLite keeps beside it. */
const DATABASE_FILES = ["sluice.db", "sluice.db-wal"];
const MICROSECONDS = 1_000_000;

/** As of now. `dataDir` is absent where there is no disk. */
export async function readProcessFacts(dataDir: string | undefined): Promise<ProcessFacts> {
  const { rss, heapUsed } = Deno.memoryUsage();
  const { user, system } = cpuUsage();
  return {
    residentBytes: rss,
    heapBytes: heapUsed,
    cpuSeconds: (user + system) / MICROSECONDS,
    storeBytes: dataDir === undefined ? undefined : await sizeOf(dataDir),
  };
}

async function sizeOf(dataDir: string): Promise<number> {
  const sizes = DATABASE_FILES.map(async (name) => {
    // The log of SQLite comes and goes.
    const file = await Deno.stat(`${dataDir}/${name}`).catch(() => undefined);
    return file?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
