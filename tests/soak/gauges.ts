/** What is measured of a running server: its process, its data folder, its own metrics. */
import { DatabaseSync } from "node:sqlite";

/** The measured values by name. */
export type Gauges = Readonly<Record<GaugeName, number>>;

/** A measured value: its unit, and the growth in an hour that counts as flat. */
interface GaugeSpec {
  readonly unit: "MB" | "";
  readonly bound: number;
}

const MEGABYTE = 1_000_000;

/** All values, in the order of the table. */
export const GAUGES = {
  rss: { unit: "MB", bound: 32 * MEGABYTE },
  // Samples include garbage, which scatters by 30 MB.
  heap: { unit: "MB", bound: 24 * MEGABYTE },
  files: { unit: "", bound: 20 },
  threads: { unit: "", bound: 4 },
  database: { unit: "MB", bound: 32 * MEGABYTE },
  wal: { unit: "MB", bound: 16 * MEGABYTE },
  rows: { unit: "", bound: 4_000 },
  timers: { unit: "", bound: 100 },
  queue: { unit: "", bound: 20 },
  messages: { unit: "", bound: 20 },
  live: { unit: "", bound: 50 },
  streams: { unit: "", bound: 20 },
  executions: { unit: "", bound: 2_000 },
} as const satisfies Readonly<Record<string, GaugeSpec>>;

/** Name of a measured value. */
export type GaugeName = keyof typeof GAUGES;

/** Where the values are read. */
export interface GaugeSources {
  readonly pid: number;
  readonly dataDir: string;
  readonly url: string;
}

/** Rows of a table of the database, and rows of the key space whose first part is a text. */
const COUNTS = "SELECT (SELECT count(*) FROM kv) AS rows, (SELECT count(*) FROM queue) AS queue, " +
  "(SELECT count(*) FROM kv WHERE k >= x'02746D00' AND k < x'02746D01') AS timers, " +
  "(SELECT count(*) FROM kv WHERE k >= x'026F6200' AND k < x'026F6201') AS messages";

/** Reads all values. */
export async function readGauges({ pid, dataDir, url }: GaugeSources): Promise<Gauges> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [rss, threads] = [/VmRSS:\s+(\d+)/, /Threads:\s+(\d+)/].map((pattern) =>
    Number(pattern.exec(status)?.[1] ?? 0)
  );
  return {
    rss: (rss ?? 0) * 1024,
    heap: metricOf(metrics, "process_heap_bytes"),
    files: Array.from(Deno.readDirSync(`/proc/${pid}/fd`)).length,
    threads: threads ?? 0,
    database: await sizeOf(`${dataDir}/sluice.db`),
    wal: await sizeOf(`${dataDir}/sluice.db-wal`),
    ...countRows(`${dataDir}/sluice.db`),
    live: metricOf(metrics, "sluice_live_executions"),
    streams: metricOf(metrics, "sluice_event_streams"),
    executions: metricOf(metrics, "sluice_executions"),
  };
}

/** The sum of the samples of a metric in the text format of Prometheus. */
export function metricOf(text: string, name: string): number {
  const samples = text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"));
  return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
}

function countRows(path: string): Pick<Gauges, "rows" | "queue" | "timers" | "messages"> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const row = database.prepare(COUNTS).get() ?? {};
    const count = (name: string) => Number(row[name] ?? 0);
    return {
      rows: count("rows"),
      queue: count("queue"),
      timers: count("timers"),
      messages: count("messages"),
    };
  } finally {
    database.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await Deno.stat(path).catch(() => undefined))?.size ?? 0;
}
