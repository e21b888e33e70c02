/**
 * Times of the executions list over a million rows in a real database file: each filter and order and the groups of charts,
 * p50 and worst of the warm runs, the first query after boot, and sealing. `deno run -A tests/bench/catalog_bench.ts [rows] [cacheMiB]`
 */
import process from "node:process";
import { systemClock } from "../../src/base/time/clock.ts";
import { IdSource } from "../../src/base/id.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { ExecutionGrouping } from "../../src/model/executions/execution_groups.ts";
import type { ExecutionCondition, ExecutionQuery } from "../../src/model/executions/execution_query.ts";
import type { State } from "../../src/model/executions/state.ts";
import { Catalog } from "../../src/store/catalog/catalog.ts";
import { encodeRow } from "../../src/store/catalog/rows/row.ts";
import { mergeRows, wordsOf } from "../../src/store/catalog/rows/row_block.ts";
import { Committer } from "../../src/store/committer.ts";
import { blockKey } from "../../src/store/keys.ts";
import { KvStore } from "../../src/store/kv_store.ts";
import type { Mutation } from "../../src/store/store.ts";

const ROWS = Number(Deno.args[0] ?? 1_000_000);
const CACHE_MIB = Number(Deno.args[1] ?? 64);
const BLOCK_ROWS = 1_163;
const FLOWS = 200;
const RUNS = 21;
const DAY_MS = 86_400_000;
const END = Date.UTC(2026, 10, 20);
const STATES: State[] = [
  "SUCCESS",
  "SUCCESS",
  "SUCCESS",
  "SUCCESS",
  "SUCCESS",
  "SUCCESS",
  "WARNING",
  "KILLED",
];
const ids = new IdSource();

const flow = (flowNo: number) => ({
  tenant: "main",
  namespace: `company.team${flowNo % 20}`,
  id: `flow-${flowNo}`,
});

let seed = 42;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}

function row(index: number, total: number): Uint8Array {
  const startMs = END - 30 * DAY_MS + Math.floor(30 * DAY_MS * index / total);
  const isFailed = random() < 0.001;
  return encodeRow({
    id: ids.next(startMs),
    flowNo: Math.floor(random() * FLOWS),
    startMs,
    durationMs: Math.floor(random() ** 4 * 600_000),
    state: isFailed ? "FAILED" : STATES[index % STATES.length] as State,
    kind: random() < 0.01 ? "TEST" : "NORMAL",
    ...(random() < 0.1 ? { triggerExecutionId: `parent-${index % 5000}` } : {}),
    labels: [
      { key: "env", value: index % 3 === 0 ? "prod" : "dev" },
      { key: "customer", value: String(index % 50_000) },
    ],
  });
}

async function fill(store: KvStore): Promise<void> {
  let atomic: Mutation[] = [];
  for (let from = 0; from < ROWS; from += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, ROWS - from);
    const rows = Array.from({ length: count }, (_, index) => wordsOf(row(from + index, ROWS)));
    const block = mergeRows(rows);
    atomic.push({ type: "set", key: blockKey("main", block.idAt(0)), value: block.bytes });
    if (atomic.length === 9 || from + count >= ROWS) {
      await store.commit({ checks: [], mutations: atomic, messages: [] });
      atomic = [];
    }
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const names = (field: "namespace" | "flowId", operator: "PREFIX" | "EQUALS" | "REGEX", value: string) =>
  ({ field, operator, values: [value] }) as const;
const label = (key: string, value: string) =>
  ({ field: "labels", anyOf: [{ key, value }], negated: false }) as const;
const failed = { field: "state", states: ["FAILED"], negated: false } as const;
const text = (...words: string[]) => ({ field: "text", words, negated: false }) as const;
const dayStart = { field: "startDate", operator: "GREATER_THAN", at: END - 9 * DAY_MS } as const;
const dayEnd = { field: "startDate", operator: "LESS_THAN", at: END - 8 * DAY_MS } as const;

const CASES: Record<string, Partial<ExecutionQuery>> = {
  "newest 25": {},
  "page 100": { page: 100 },
  "page 20000": { page: 20_000 },
  "namespace EQUALS": { conditions: [names("namespace", "EQUALS", "company.team3")] },
  "namespace PREFIX (all)": { conditions: [names("namespace", "PREFIX", "company")] },
  "namespace REGEX": { conditions: [names("namespace", "REGEX", "team[0-4]$")] },
  "flowId EQUALS": { conditions: [names("flowId", "EQUALS", "flow-7")] },
  "state FAILED": { conditions: [failed] },
  "state SUCCESS": { conditions: [{ field: "state", states: ["SUCCESS"], negated: false }] },
  "label env=prod": { conditions: [label("env", "prod")] },
  "label customer": { conditions: [label("customer", "4711")] },
  "label not env=prod": { conditions: [{ ...label("env", "prod"), negated: true }] },
  "day window": { conditions: [dayStart, dayEnd] },
  "last 24 h": { conditions: [{ field: "startDate", operator: "GREATER_THAN", at: END - DAY_MS }] },
  "endDate before": { conditions: [{ field: "endDate", operator: "LESS_THAN", at: END - 15 * DAY_MS }] },
  "children": { conditions: [{ field: "child", child: true }] },
  "trigger": { conditions: [{ field: "triggerExecutionId", ids: ["parent-12"], negated: false }] },
  "kind TEST": { conditions: [{ field: "kind", kinds: ["TEST"], negated: false }] },
  "scope USER": { conditions: [{ field: "scope", system: false }] },
  "q team3 flow": { conditions: [text("team3", "flow")] },
  "q part of ids": { conditions: [text("zq9x")] },
  "ns + label + failed": {
    conditions: [names("namespace", "PREFIX", "company.team3"), label("env", "prod"), failed],
  },
  "groups ns or failed": { groups: [[names("namespace", "EQUALS", "company.team3")], [failed]] },
  "sort id asc": { sort: [{ field: "id", descending: false }] },
  "sort namespace": { sort: [{ field: "namespace", descending: false }] },
  "sort flowId desc": { sort: [{ field: "flowId", descending: true }] },
  "sort state": { sort: [{ field: "state.current", descending: false }] },
  "sort start asc": { sort: [{ field: "state.startDate", descending: false }] },
  "sort start desc": { sort: [{ field: "state.startDate", descending: true }] },
  "sort end desc": { sort: [{ field: "state.endDate", descending: true }] },
  "sort duration desc": { sort: [{ field: "state.duration", descending: true }] },
  "sort duration asc": { sort: [{ field: "state.duration", descending: false }] },
  "sort ns, duration desc": {
    sort: [{ field: "namespace", descending: false }, { field: "state.duration", descending: true }],
  },
  "ns + label, duration desc": {
    conditions: [names("namespace", "PREFIX", "company.team3"), label("env", "prod")],
    sort: [{ field: "state.duration", descending: true }],
  },
};

const days = Array.from({ length: 31 }, (_, day) => END - (30 - day) * DAY_MS);
const date = { field: "startDate", starts: days } as const;
/** Groups that charts and statistics use. */
const GROUPINGS: Record<string, ExecutionGrouping> = {
  "groups: days, state": { keys: [date, { field: "state" }], measures: [] },
  "groups: days, state, durations": { keys: [date, { field: "state" }], measures: ["duration"] },
  "groups: state": { keys: [{ field: "state" }], measures: [] },
  "groups: namespace, state": { keys: [{ field: "namespace" }, { field: "state" }], measures: [] },
  "groups: flow, days, durations": { keys: [{ field: "flow" }, date], measures: ["duration"] },
};

function report(name: string, ...values: (number | string)[]): void {
  const cells = values.map((value) => typeof value === "number" ? value.toFixed(2).padStart(9) : value);
  Deno.stdout.writeSync(new TextEncoder().encode(`${name.padEnd(28)} ${cells.join(" ")}\n`));
}

async function runCases(catalog: Catalog): Promise<void> {
  for (const [name, part] of Object.entries(CASES)) {
    const conditions: ExecutionCondition[] = [...part.conditions ?? []];
    const query = { groups: [], sort: [], page: 1, size: 25, ...part, conditions };
    const times: number[] = [];
    let total = 0;
    for (let run = 0; run < RUNS; run++) {
      times.push(await timed(async () => total = (await catalog.query("main", query)).total));
    }
    const warm = times.slice(1).sort((a, b) => a - b);
    report(
      name,
      warm[warm.length >> 1] as number,
      warm[warm.length - 1] as number,
      times[0] as number,
      `total ${total}`,
    );
  }
}

async function runGroupings(catalog: Catalog): Promise<void> {
  const conditions: ExecutionCondition[] = [
    { field: "startDate", operator: "GREATER_THAN_OR_EQUAL_TO", at: END - 30 * DAY_MS },
  ];
  for (const [name, grouping] of Object.entries(GROUPINGS)) {
    const times: number[] = [];
    let count = 0;
    const cpu = process.cpuUsage();
    for (let run = 0; run < RUNS; run++) {
      const read = () => catalog.groups("main", { conditions, groups: [] }, grouping);
      times.push(await timed(async () => count = (await read()).length));
    }
    const { user, system } = process.cpuUsage(cpu);
    const warm = times.slice(1).sort((a, b) => a - b);
    const cpuMs = (user + system) / 1000 / RUNS;
    report(
      name,
      warm[warm.length >> 1] as number,
      warm.at(-1) as number,
      times[0] as number,
      `${count} groups, CPU ${cpuMs.toFixed(1)} ms each`,
    );
  }
}

async function runSealing(committer: Committer, catalog: Catalog): Promise<void> {
  let index = 0;
  const ms = await timed(async () => {
    for (; index < 20_000;) {
      const entries = Array.from({ length: 60 }, () =>
        committer.commit({
          mutations: [],
          facts: { rows: [{ tenant: "main", row: row(ROWS + index++, ROWS) }] },
        }));
      await Promise.all(entries);
    }
  });
  report("commit 20,000 rows", ms);
  let steps = 0;
  report(
    "seal them",
    await timed(async () => {
      while (await catalog.compact()) steps++;
    }),
    `${steps} steps`,
  );
}

const directory = await Deno.makeTempDir();
const path = `${directory}/kv.sqlite3`;
const store = await KvStore.open(path);
report("fill, s", (await timed(() => fill(store))) / 1000);
store.close();

const kv = await KvStore.open(path);
const clock = systemClock;
const committer = new Committer({
  store: kv,
  instance: "bench",
  clock,
  logger: silentLogger(clock),
  onFatal: () => {},
});
await committer.start();
const catalog = new Catalog({
  store: kv,
  commit: (entry) => committer.commit(entry),
  clock,
  flowNames: flow,
  flowLimit: () => FLOWS,
  verifyFact: (_tenant, wanted) => Promise.resolve(new Set(wanted)),
  maxCacheBytes: CACHE_MIB * 1024 * 1024,
});
committer.addRider(catalog);
const newest: ExecutionQuery = { conditions: [], groups: [], sort: [], page: 1, size: 25 };
report("boot", await timed(() => catalog.start()));
report("first query after boot", await timed(() => catalog.query("main", newest)));
const gets: number[] = [];
for (let i = 0; i < 200; i++) gets.push(await timed(() => kv.get(["chain", "bench"])));
report("one kv.get", gets.sort((a, b) => a - b)[100] as number);
report("", "  p50 ms", "worst ms", "  first");
await runCases(catalog);
await runGroupings(catalog);
await runSealing(committer, catalog);
report("newest 25 afterwards", await timed(() => catalog.query("main", newest)));
report("RSS, MB", Deno.memoryUsage().rss / 1e6, "cache", catalog.cachedBytes / 1e6);
await catalog[Symbol.asyncDispose]();
await committer[Symbol.asyncDispose]();
kv.close();
await Deno.remove(directory, { recursive: true });
