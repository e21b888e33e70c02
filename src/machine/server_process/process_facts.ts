/** Memory and CPU time of this process, the size of its database, and the room of its disk. */
import { cpuUsage } from "node:process";
import type { ProcessFacts } from "../../model/server_metric.ts";
import { readDiskSpace } from "../disk_space.ts";

/** The database and its write-ahead log. */
const DATABASE_FILES = ["sluice.db", "sluice.db-wal"];
const MICROSECONDS = 1_000_000;

/** Current values; `dataDir` is absent on platforms without a disk. */
export async function readProcessFacts(dataDir: string | undefined): Promise<ProcessFacts> {
  const { rss, heapUsed } = Deno.memoryUsage();
  const { user, system } = cpuUsage();
  return {
    residentBytes: rss,
    heapBytes: heapUsed,
    cpuSeconds: (user + system) / MICROSECONDS,
    storeBytes: dataDir === undefined ? undefined : await sizeOf(dataDir),
    disk: dataDir === undefined ? undefined : await readDiskSpace(dataDir),
  };
}

async function sizeOf(dataDir: string): Promise<number> {
  const sizes = DATABASE_FILES.map(async (name) => {
    // SQLite creates and removes its write-ahead log.
    const file = await Deno.stat(`${dataDir}/${name}`).catch(() => undefined);
    return file?.size ?? 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
