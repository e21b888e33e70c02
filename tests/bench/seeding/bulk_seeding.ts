/**
 * Fills a store in minutes, by writing the records and sealed catalog blocks that the server would write. A server first
 * creates the flows and runs each of them once; the executions are copies with other ids, dates, states and labels.
 */
import { systemClock } from "../../../src/base/time/clock.ts";
import { IdSource } from "../../../src/base/id.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { Execution, LogLine } from "../../../src/model/executions/execution.ts";
import type { Label } from "../../../src/model/flows/label.ts";
import { type History, startedAt, type State } from "../../../src/model/executions/state.ts";
import { Blobs } from "../../../src/store/blobs/blobs.ts";
import { FlowCounts } from "../../../src/store/catalog/blocks/flow_counts.ts";
import { RowBlock, wordsOf } from "../../../src/store/catalog/rows/row_block.ts";
import { Committer } from "../../../src/store/committer.ts";
import { blockKey, catalogSnapshotKey } from "../../../src/store/keys.ts";
import { KvStore } from "../../../src/store/kv_store.ts";
import { newForm } from "../../../src/store/records/executions/execution_form.ts";
import {
  catalogRow,
  ExecutionRecords,
  type StoredExecution,
} from "../../../src/store/records/executions/execution_records.ts";
import type { Mutation } from "../../../src/store/store.ts";
import { createFlow, startIn } from "../api.ts";
import type { Bench } from "../bench.ts";

/** Flows and namespaces of a store that {@link seedInBulk} fills. */
export const BULK_FLOWS = 200;
export const BULK_NAMESPACES = 20;
/** The executions are spread evenly over so much time before now. */
export const BULK_DAYS = 30;

const TENANT = "main";
const DAY_MS = 86_400_000;
const BLOCK_ROWS = 1_163;
/** Records of one commit; more would exceed the key bytes of Deno KV. */
const COMMIT_RECORDS = 900;
const COMMITS_IN_FLIGHT = 2;
const CUSTOMERS = 50_000;
/** Of eight executions, by turns; one in fifty of them ends FAILED instead. */
const STATES: readonly State[] = ["SUCCESS", "SUCCESS", "SUCCESS", "WARNING", "SUCCESS", "SUCCESS", "KILLED"];
const FAILED_SHARE = 0.02;
/** One execution in so many is of kind TEST. */
const TEST_EVERY = 100;
/** One flow of so many writes a log line in each execution. */
const LOGGING_FLOWS = 4;

/** Namespace of a flow. */
export function bulkNamespace(flow: number): string {
  return `company.team${flow % BULK_NAMESPACES}`;
}

/** Id of a flow. */
export function bulkFlowId(flow: number): string {
  return `flow-${flow}`;
}

/** True for the flows whose executions write a log line. */
export function isLoggingFlow(flow: number): boolean {
  return flow % LOGGING_FLOWS === LOGGING_FLOWS - 1;
}

/** A store with that many executions of one task. The folder of its data, which a run with `--stores` finds again. */
export async function keptStore(bench: Bench, executions: number): Promise<string> {
  const { storesFolder } = bench.options;
  const dataDir = storesFolder === undefined ? await bench.freshFolder() : `${storesFolder}/${executions}`;
  const mark = `${dataDir}.filled`;
  if (await Deno.stat(mark).catch(() => undefined)) return dataDir;
  await Deno.remove(dataDir, { recursive: true }).catch(() => {});
  await Deno.mkdir(dataDir, { recursive: true });
  await seedInBulk(bench, executions, dataDir);
  if (storesFolder !== undefined) await Deno.writeTextFile(mark, "");
  return dataDir;
}

/** What {@link seedInBulk} needs of a benchmark. */
export type BulkBench = Pick<Bench, "say" | "startServer">;

/** Adds that many executions of one task to a new folder; before them each of {@link BULK_FLOWS} flows ran once. */
export async function seedInBulk(bench: BulkBench, executions: number, dataDir: string): Promise<void> {
  const templates = await runFlows(bench, dataDir);
  bench.say(`  stores ${executions.toLocaleString("en")} executions`);
  const store = await KvStore.open(`${dataDir}/sluice.db`);
  try {
    await new BulkWriter(store, executions).write(templates);
  } finally {
    store.close();
  }
}

/** Creates the flows and runs each once; the ids of these executions. */
async function runFlows(bench: BulkBench, dataDir: string): Promise<string[]> {
  await using server = await bench.startServer({ dataDir });
  const ids: string[] = [];
  for (let flow = 0; flow < BULK_FLOWS; flow++) {
    await createFlow(server.url, source(flow));
    ids.push((await startIn(server.url, bulkNamespace(flow), bulkFlowId(flow))).id);
  }
  return ids;
}

function source(flow: number): string {
  const task = isLoggingFlow(flow)
    ? `{id: t, type: io.svc.plugin.core.log.Log, message: "line of ${flow}"}`
    : `{id: t, type: io.svc.plugin.core.debug.Return, format: "value ${flow}"}`;
  return `id: ${bulkFlowId(flow)}\nnamespace: ${bulkNamespace(flow)}\ntasks: [${task}]\n`;
}

/** Five labels each: four with few values, one with many. */
function labelsOf(index: number): Label[] {
  return [
    { key: "env", value: index % 3 === 0 ? "prod" : "dev" },
    { key: "team", value: String(index % 7) },
    { key: "region", value: `region-${index % 5}` },
    { key: "tier", value: String(index % 4) },
    { key: "customer", value: String(index % CUSTOMERS) },
  ];
}

/** Writes executions in the order of their dates. */
class BulkWriter {
  readonly #store: KvStore;
  readonly #records: ExecutionRecords;
  readonly #executions: number;
  readonly #ids = new IdSource();
  readonly #counts = new FlowCounts();
  readonly #commits = new Set<Promise<unknown>>();
  #mutations: Mutation[] = [];
  #rows: Uint8Array[] = [];
  #seed = 42;

  constructor(store: KvStore, executions: number) {
    this.#store = store;
    this.#executions = executions;
    const [clock, instance] = [systemClock, "bench"];
    const committer = new Committer({
      store,
      instance,
      clock,
      logger: silentLogger(clock),
      onFatal: () => {},
    });
    const blobs = new Blobs({ store, committer, ids: this.#ids, clock });
    this.#records = new ExecutionRecords(store, blobs, () => ({ namespace: "", id: "" }));
  }

  async write(templateIds: readonly string[]): Promise<void> {
    const templates = await Promise.all(templateIds.map((id) => this.#load(id)));
    const from = Math.min(...templates.map(({ execution }) => startedAt(execution.history))) -
      BULK_DAYS * DAY_MS;
    const stepMs = BULK_DAYS * DAY_MS / this.#executions;
    for (let index = 0; index < this.#executions; index++) {
      const template = templates[Math.floor(this.#random() * templates.length)] as StoredExecution;
      this.#add(this.#copyOf(template, index, from + Math.floor(index * stepMs)));
      if (this.#rows.length >= BLOCK_ROWS) await this.#seal();
      if (this.#mutations.length >= COMMIT_RECORDS) await this.#commit();
    }
    if (this.#rows.length > 0) await this.#seal();
    this.#mutations.push({ type: "set", key: catalogSnapshotKey(TENANT), value: this.#counts.encode(0) });
    await this.#commit();
    await Promise.all(this.#commits);
  }

  async #load(id: string): Promise<StoredExecution> {
    const stored = await this.#records.load(TENANT, id);
    if (!stored) throw new Error(`Cannot read the execution ${id}`);
    return stored;
  }

  #copyOf({ execution: template, form }: StoredExecution, index: number, at: number): Execution {
    const durationMs = Math.floor(this.#random() ** 4 * 600_000);
    const isFailed = this.#random() < FAILED_SHARE;
    const state = isFailed ? "FAILED" : STATES[index % STATES.length] as State;
    const moved = (history: History): History =>
      history.flatMap((entry, place): History => {
        const isLast = place === history.length - 1 && place > 0;
        if (!isLast) return [{ state: entry.state, at }];
        const end = { state, at: at + durationMs };
        return state === "KILLED" ? [{ state: "KILLING", at: end.at }, end] : [end];
      });
    const id = this.#ids.next(at);
    return {
      ...template,
      ...{ id, originalId: id },
      kind: index % TEST_EVERY === 7 ? "TEST" : template.kind,
      history: moved(template.history),
      labels: labelsOf(index),
      newLogs: form.inlineLogs.map((line): LogLine => ({ ...line, at: at + durationMs })),
      logCount: 0,
      taskRuns: template.taskRuns.map((taskRun) => ({
        ...taskRun,
        history: moved(taskRun.history),
        attempts: taskRun.attempts.map(({ history }) => ({ history: moved(history) })),
      })),
    };
  }

  #add(execution: Execution): void {
    const prepared = this.#records.prepare(execution, newForm());
    if (!Array.isArray(prepared)) throw new Error("Cannot store an execution of one task in one record");
    this.#mutations.push(...prepared);
    this.#rows.push(catalogRow(execution));
  }

  async #seal(): Promise<void> {
    const bytes = new Uint8Array(this.#rows.reduce((sum, row) => sum + row.length, 0));
    this.#rows.forEach((row, index) => bytes.set(row, index * row.length));
    this.#rows = [];
    const block = new RowBlock(wordsOf(bytes));
    this.#counts.add(block.columns, 1);
    await this.#commit();
    this.#mutations.push({ type: "set", key: blockKey(TENANT, block.idAt(0)), value: block.bytes });
  }

  async #commit(): Promise<void> {
    const mutations = this.#mutations;
    this.#mutations = [];
    if (mutations.length === 0) return;
    const commit = this.#store.commit({ checks: [], mutations, messages: [] });
    this.#commits.add(commit);
    void commit.finally(() => this.#commits.delete(commit)).catch(() => {});
    if (this.#commits.size >= COMMITS_IN_FLIGHT) await Promise.race(this.#commits);
  }

  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1664525) + 1013904223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}
