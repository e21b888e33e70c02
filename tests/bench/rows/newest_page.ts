/** Row 6: the newest page of 25 executions with its total, in the store ÷ one read, and over HTTP ÷ a GET of nothing. */
import { systemClock } from "../../../src/base/time/clock.ts";
import { systemRandomBytes } from "../../../src/base/id.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { ExecutionQuery } from "../../../src/model/executions/execution_query.ts";
import { Assembly } from "../../../src/server/assembly.ts";
import type { Services } from "../../../src/server/services.ts";
import { ExecutionRecords } from "../../../src/store/records/executions/execution_records.ts";
import { executionKey } from "../../../src/store/keys.ts";
import { KvStore } from "../../../src/store/kv_store.ts";
import { searchPath } from "../api.ts";
import type { Bench } from "../bench.ts";
import { inMs, median, type RowResult, type ServerMetric } from "../figures.ts";
import type { Row } from "./row.ts";

const TENANT = "main";
const PAGE: ExecutionQuery = { conditions: [], groups: [], sort: [], page: 1, size: 25 };
const WARM_UP_RUNS = 50;
const RUNS = 500;

/** The newest page. */
export const newestPageRow: Row = {
  number: 6,
  name: "newest-page",
  title: "newest 25 executions with their total",
  measure,
};

async function measure(bench: Bench): Promise<RowResult> {
  const { dataDir } = await bench.seeded();
  const inStore = await measureStore(`${dataDir}/sluice.db`);
  await using raw = await bench.startRaw();
  await using server = await bench.startServer({ dataDir });
  // By the load generator: a client in JavaScript takes as long to read 17 KB as the server to make them.
  // The mean, since one of the generators measures quantiles in whole milliseconds.
  const mean = (url: string, path: string) => async (seconds: number) => {
    const load = await bench.generator.run({ url, method: "GET", paths: [path], connections: 1, seconds });
    return load.seconds * 1000 / load.accepted;
  };
  const [nothing = NaN, page = NaN] = await bench.byTurns(
    mean(raw.url, "/"),
    mean(server.url, searchPath("?size=25")),
  );
  return {
    figures: [
      serverMetric("newest 25 in the store ÷ one read", inStore.page, inStore.read, { floor: 5, goal: 2 }),
      serverMetric("newest 25 over HTTP ÷ GET of nothing", page, nothing, { floor: 3, goal: 1.5 }),
    ],
    notes: [
      timesOneRead("in the store, ids and total alone", inStore.ids, inStore.read),
      timesOneRead("in the store, no record in memory", inStore.coldPage, inStore.read),
      timesOneRead("in the service, with the texts of the answer", inStore.texts, inStore.read),
    ],
  };
}

function serverMetric(
  name: string,
  page: number,
  limit: number,
  bounds: Pick<ServerMetric, "floor" | "goal">,
): ServerMetric {
  const ratio = { value: page / limit, unit: "", better: "lower" } as const;
  return { row: 6, name, measured: inMs(page), limit: inMs(limit), ...ratio, ...bounds };
}

function timesOneRead(what: string, ms: number, readMs: number): string {
  return `${what} ${inMs(ms)}, ${(ms / readMs).toFixed(2)} × one read`;
}

interface StoreTimes {
  readonly read: number;
  /** What the catalog answers, without the records. */
  readonly ids: number;
  /** Records in memory, as after their start or a first list. */
  readonly page: number;
  readonly coldPage: number;
  readonly texts: number;
}

/** In this process, over the same file; no server runs. */
async function measureStore(path: string): Promise<StoreTimes> {
  const store = await KvStore.open(path);
  const assembly = await Assembly.create(assemblyOptions(store));
  await assembly.start();
  const { services } = assembly;
  const { ids: [newest = ""] } = await services.catalog.query(TENANT, PAGE);
  const read = () => store.get(executionKey(TENANT, newest));
  const ids = () => services.catalog.query(TENANT, PAGE);
  const page = () => loadPage(services, services.records);
  const coldPage = () =>
    loadPage(
      services,
      new ExecutionRecords(store, services.blobs, (flowNo) => services.flows.byNumber(flowNo)),
    );
  const texts = async () =>
    await Array.fromAsync((await services.executions.search({ tenant: TENANT, user: "" }, PAGE)).pieces);
  const times = await timeByTurns({ read, ids, page, coldPage, texts });
  await assembly.stop();
  store.close();
  await assembly.closed();
  return times;
}

function assemblyOptions(store: KvStore): Parameters<typeof Assembly.create>[0] {
  return {
    store,
    clock: systemClock,
    logger: silentLogger(systemClock),
    randomBytes: systemRandomBytes,
    random: Math.random,
    encryptionKey: crypto.getRandomValues(new Uint8Array(32)),
    host: "127.0.0.1",
    port: 0,
    noAuthExplicit: true,
    maxUploadBytes: 0,
    timeZone: "UTC",
    secrets: new Map(),
    envs: new Map(),
    version: "bench",
  };
}

async function loadPage({ catalog }: Services, records: ExecutionRecords): Promise<void> {
  const { ids } = await catalog.query(TENANT, PAGE);
  await Promise.all(ids.map((id) => records.load(TENANT, id)));
}

async function timeByTurns<Name extends string>(
  calls: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(calls) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let run = 0; run < WARM_UP_RUNS + RUNS; run++) {
    for (const name of names) {
      const start = performance.now();
      await calls[name]();
      if (run >= WARM_UP_RUNS) times.get(name)?.push(performance.now() - start);
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, median(list)])) as Record<Name, number>;
}
