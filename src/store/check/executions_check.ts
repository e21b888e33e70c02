/** Checks executions with all that belongs to them: task runs, log lines, values, files, timers, and their catalog rows. */
import type { Execution } from "../../model/executions/execution.ts";
import type { JsonValue } from "../../base/json.ts";
import { currentState, type History, historyProblem, isEnded } from "../../model/executions/state.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import { bytesOfChunk, chunkCount } from "../blobs/blob_chunks.ts";
import { type BlobRef, blobRefOf } from "../blobs/blobs.ts";
import { isSameRow, tombstoneRow } from "../catalog/rows/row.ts";
import { wordsOf } from "../catalog/rows/row_block.ts";
import { decodeJson } from "../codec.ts";
import { blobChunkKey, executionKey, keysOfKind, timerKey } from "../keys.ts";
import {
  type PackedExecution,
  type PackedLogLine,
  type PackedTaskRun,
  unpackChunkLines,
  unpackExecution,
  unpackTaskRun,
} from "../records/executions/execution_codec.ts";
import type { ValueReference } from "../records/executions/large_values.ts";
import { catalogRow } from "../records/executions/execution_records.ts";
import { decodeRecord } from "../records/executions/inline_record.ts";
import { decodeMetrics } from "../records/metric_records.ts";
import type { StoredEntry } from "../store.ts";
import { inWhole } from "../value_parts.ts";
import { type CatalogRow, CatalogRows } from "./catalog_rows.ts";
import type { CheckContext } from "./context.ts";
import type { CheckedFlows } from "./flows_check.ts";
import { OrderedReader } from "./ordered_reader.ts";
import { OwnedValues } from "./values_check.ts";
import type { WakeCheck } from "./wake_check.ts";

/** What the check of executions looks up. */
interface ExecutionsCheckDeps {
  readonly context: CheckContext;
  readonly flows: CheckedFlows;
  readonly wake: WakeCheck;
  /** Values that the next start removes. */
  readonly intents: ReadonlySet<string>;
  /** Values of namespaces and idempotency records, which other records refer to. */
  readonly otherValues: (owner: string) => OwnedValues;
}

/** The states of an execution, its task runs and its attempts, with their names. */
type Histories = [name: string, owner: "execution" | "task_run", history: History][];

/** Checks the executions of one tenant. */
export class ExecutionsCheck {
  readonly #tenant: TenantId;
  readonly #deps: ExecutionsCheckDeps;
  readonly #taskRuns: OrderedReader;
  readonly #logs: OrderedReader;
  readonly #metrics: OrderedReader;
  readonly #files: OrderedReader;
  readonly #chunks: OrderedReader;

  constructor(tenant: TenantId, deps: ExecutionsCheckDeps) {
    this.#tenant = tenant;
    this.#deps = deps;
    const reader = (kind: string, name: string) =>
      new OrderedReader(deps.context.read(keysOfKind(tenant, kind), name));
    const pages = deps.context.read(keysOfKind(tenant, "t"), "pages of task runs");
    this.#taskRuns = new OrderedReader(inWhole(pages));
    this.#logs = reader("l", "chunks of log lines");
    this.#metrics = reader("m", "metrics of attempts");
    this.#files = reader("ef", "files of executions");
    this.#chunks = reader("b", "chunks of large values");
  }

  /** Reads all of them once, in id order. */
  async run(): Promise<void> {
    const { context } = this.#deps;
    const catalog = new CatalogRows(this.#tenant, context);
    const rows = catalog.read();
    let row = (await rows.next()).value as CatalogRow | undefined;
    const nextRow = async () => row = (await rows.next()).value as CatalogRow | undefined;
    for await (const entry of inWhole(context.read(keysOfKind(this.#tenant, "x"), "executions"))) {
      const id = String(entry.key[2]);
      if (entry.key.length > 3) {
        if (!this.#deps.wake.isBeingRemoved(this.#tenant, id)) context.found("execution_missing", entry.key);
        continue;
      }
      for (; row && row.id < id; await nextRow()) this.#addStrayRow(row);
      const own = row?.id === id ? row : undefined;
      await this.#check(id, entry, own);
      if (own) await nextRow();
    }
    for (; row; await nextRow()) this.#addStrayRow(row);
    await this.#checkStrays(undefined);
    await catalog.checkCounts();
  }

  #addStrayRow({ id }: CatalogRow): void {
    const { context } = this.#deps;
    context.found("row_stray", executionKey(this.#tenant, id));
    context.rows.push({ tenant: this.#tenant, row: tombstoneRow(id) });
  }

  async #check(id: string, entry: StoredEntry, row: CatalogRow | undefined): Promise<void> {
    const { context, intents } = this.#deps;
    await this.#checkStrays(id);
    const values = new OwnedValues(this.#tenant, id);
    for await (const chunk of this.#chunks.of(id)) values.addChunk(chunk);
    const packed = context.decode(entry, decodePacked);
    const refer = (value: JsonValue | undefined, at: StoredEntry): void => {
      if (Array.isArray(value)) values.refer(blobRefOf(value), at.key, context);
    };
    const referOwn: typeof refer = (value, at) => isOfOther(value) ? undefined : refer(value, at);
    if (packed) { for (const value of valuesOf(packed)) referOwn(value, entry); }
    const execution = packed && await this.#unpack(id, packed, entry);
    const histories: Histories = execution ? [["execution", "execution", execution.history]] : [];
    const stored = await this.#checkTaskRuns(id, packed, { entry, refer: referOwn, histories });
    await this.#checkOthers(id, packed, refer);
    values.finish(context, packed ? intents : new Set());
    if (!execution || !packed) return;
    if (typeof packed[6] === "number" && stored < packed[6]) {
      context.found("task_runs_missing", entry.key, `${stored} of ${packed[6]} are stored`);
    }
    this.#checkHistories(entry, histories);
    this.#checkTimers(execution);
    this.#checkRow(execution, entry, row);
    this.#deps.wake.add(execution);
  }

  /** Data of executions before `id` that are not stored; of other owners for large values. */
  async #checkStrays(id: string | undefined): Promise<void> {
    const { context, wake } = this.#deps;
    for (const reader of [this.#taskRuns, this.#logs, this.#metrics, this.#files]) {
      for await (const { key } of reader.before(id)) {
        if (!wake.isBeingRemoved(this.#tenant, String(key[2]))) context.found("execution_missing", key);
      }
    }
    for await (const chunk of this.#chunks.before(id)) {
      this.#deps.otherValues(String(chunk.key[2])).addChunk(chunk);
    }
  }

  async #unpack(id: string, packed: PackedExecution, entry: StoredEntry): Promise<Execution | undefined> {
    const { context, flows } = this.#deps;
    const head = flows.ofNumber(packed[0]);
    if (!head) {
      context.found("flow_missing", entry.key, `flow number ${packed[0]}`);
      return undefined;
    }
    const flow: FlowKey = head;
    const trigger = packed[8]?.t;
    if (trigger && Array.isArray(trigger[2])) trigger[2] = await this.#readValue(id, blobRefOf(trigger[2]));
    const execution = context.decode(entry, () => unpackExecution(packed, id, this.#tenant, flow));
    // The revisions of ended executions may be removed.
    const needsRevision = execution !== undefined && !isEnded(execution.history);
    if (needsRevision && !flows.hasRevision(head.tenant, flow, packed[1])) {
      context.found("revision_missing", entry.key, `revision ${packed[1]} of "${flow.namespace}.${flow.id}"`);
    }
    return execution;
  }

  /** A value of which the catalog row needs a part; an empty object when it cannot be read. */
  async #readValue(id: string, { blobId, size }: BlobRef): Promise<JsonValue> {
    const keys = Array.from(
      { length: chunkCount(size) },
      (_, n) => blobChunkKey(this.#tenant, id, blobId, n),
    );
    const bytes: number[] = [];
    for (const entry of await this.#deps.context.store.getMany(keys)) {
      bytes.push(...(entry && bytesOfChunk(entry.value)) ?? []);
    }
    try {
      return decodeJson(new Uint8Array(bytes));
    } catch {
      return {};
    }
  }

  async #checkTaskRuns(
    id: string,
    packed: PackedExecution | undefined,
    { entry, refer, histories }: {
      readonly entry: StoredEntry;
      readonly refer: (value: JsonValue | undefined, at: StoredEntry) => void;
      readonly histories: Histories;
    },
  ): Promise<number> {
    const { context } = this.#deps;
    const origin = packed?.[2] ?? 0;
    let count = 0;
    const add = (taskRuns: readonly PackedTaskRun[], at: StoredEntry) => {
      for (const taskRun of taskRuns) {
        refer(taskRun[3], at);
        refer(taskRun[7]?.d, at);
        const { taskId, history, attempts } = unpackTaskRun(taskRun, -1, origin);
        histories.push([taskId, "task_run", history]);
        for (const attempt of attempts) histories.push([taskId, "task_run", attempt.history]);
        count++;
      }
    };
    const inline = packed?.[6];
    if (Array.isArray(inline)) context.decode(entry, () => add(inline, entry));
    for await (const page of this.#taskRuns.of(id)) {
      context.decode(page, ({ value }) => add(decodeJson(value) as unknown as PackedTaskRun[], page));
    }
    return count;
  }

  /** Log lines, metrics and files. */
  async #checkOthers(
    id: string,
    packed: PackedExecution | undefined,
    refer: (value: JsonValue | undefined, at: StoredEntry) => void,
  ): Promise<void> {
    const { context } = this.#deps;
    const origin = packed?.[2] ?? 0;
    for await (const chunk of this.#logs.of(id)) {
      context.decode(
        chunk,
        ({ value }) => unpackChunkLines(decodeJson(value) as unknown as PackedLogLine[], origin),
      );
    }
    for await (const metrics of this.#metrics.of(id)) context.decode(metrics, decodeMetrics);
    for await (const file of this.#files.of(id)) {
      context.decode(file, ({ value }) => refer(decodeJson(value), file));
    }
  }

  #checkHistories({ key }: StoredEntry, histories: Histories): void {
    for (const [name, owner, history] of histories) {
      const problem = historyProblem(owner, history);
      if (problem) this.#deps.context.found("illegal_history", key, `${name}: ${problem}`);
    }
  }

  #checkTimers(execution: Execution): void {
    const { context, wake } = this.#deps;
    for (const [name, dueAt] of execution.timers) {
      if (wake.takeTimer(this.#tenant, execution.id, name, dueAt)) continue;
      const key = timerKey(dueAt, this.#tenant, execution.id, name);
      context.found("index_missing", key, "a timer of the execution");
      context.repairs.push({ type: "set", key, value: new Uint8Array([1]) });
    }
  }

  /** Rows of live executions come from the runtime. */
  #checkRow(execution: Execution, { key }: StoredEntry, row: CatalogRow | undefined): void {
    const { context, wake } = this.#deps;
    if (wake.isListed(this.#tenant, execution.id)) return;
    const right = catalogRow(execution);
    if (row && isSameRow(row.words, wordsOf(right))) return;
    if (row) context.found("row_differs", key, `it is ${currentState(execution.history)}`);
    else context.found("row_missing", key, `it is ${currentState(execution.history)}`);
    context.rows.push({ tenant: this.#tenant, row: right.slice() });
  }
}

function decodePacked({ key, value }: StoredEntry): PackedExecution {
  const packed = decodeRecord(value, String(key[2]));
  const isWhole = Array.isArray(packed) && packed.length >= 8 && typeof packed[2] === "number" &&
    Array.isArray(packed[3]);
  if (!isWhole) throw new Error("it has not the form of an execution");
  return packed;
}

/** True for a value that is checked with the execution which owns it. */
function isOfOther(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && (value as unknown as ValueReference)[2] !== undefined;
}

/** The values of a header that are stored in it or as blobs. */
function valuesOf([, , , , inputs, , , , extras]: PackedExecution): (JsonValue | undefined)[] {
  return [inputs, extras?.t?.[2], extras?.g, extras?.v, extras?.u, extras?.f];
}
