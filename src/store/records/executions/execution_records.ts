/**
 * Stored executions. A small execution is one compact record. A large one is split: task runs go to pages of
 * {@link PAGE_SIZE} ordinals, log lines to chunks and large values to blobs, so that a transition rewrites a bounded part.
 */
import { RecentCache } from "../../../base/lru.ts";
import { flattenString } from "../../../base/text/flatten_string.ts";
import {
  type Execution,
  type LogLine,
  type TaskRun,
  taskRunOf,
} from "../../../model/executions/execution.ts";
import {
  type BodyForm,
  type BodyParts,
  durationText,
  executionBodyParts,
} from "../../../model/executions/execution_body.ts";
import type { FlowKey } from "../../../model/flows/flow.ts";
import { isTrueOf, type RecordFact } from "../../../model/executions/execution_query.ts";
import {
  MAX_LISTED_VALUE_BYTES_BEYOND,
  MAX_VIEWED_TASK_RUNS,
  MAX_VIEWED_VALUE_BYTES,
} from "../../../model/executions/shortened_value.ts";
import { changedAt, currentState, type History, isEnded } from "../../../model/executions/state.ts";
import { encodeRow } from "../../catalog/rows/row.ts";
import type { Blobs } from "../../blobs/blobs.ts";
import { decodeJson, encodeJson } from "../../codec.ts";
import {
  dropAllButIds,
  ordinalOf,
  originOf,
  type PackedExecution,
  type PackedLogLine,
  type PackedTaskRun,
  unpackChunkLines,
  unpackExecution,
  unpackRecordLines,
  unpackTaskRun,
} from "./execution_codec.ts";
import {
  headerMutations,
  inlineText,
  isSelfContained,
  logMutations,
  newForm,
  noteHeader,
  notePage,
  packHeader,
  packingOf,
  PAGE_SIZE,
  pageMutations,
  pageOf,
  type StoredForm,
} from "./execution_form.ts";
import { decodeRecord, inlineRecordBytes, isInline } from "./inline_record.ts";
import { decisionPlace, LargeValues, outputsPlace } from "./large_values.ts";
import { ValueStore } from "./value_store.ts";
import { shortenHeader, shortenLoop } from "./execution_shortening.ts";
import { executionKey, executionPartsOf, logChunksOf, metricsOf, taskRunPagesOf } from "../../keys.ts";
import type { ListOptions, Mutation, Store } from "../../store.ts";
import { wholeOf, wholeValue } from "../../value_parts.ts";
import { deletionsOf } from "../../stored_entries.ts";

/** Larger records are split into pages and chunks. From 1 KB up to this size one key is still cheaper than several. */
const MAX_INLINE_CHARS = 8_192;
/** Cache of recently written or read records, for the GET that follows a start. */
const CACHE_BYTES = 8 * 1024 * 1024;
/** Members of the key of a page. */
const PAGE_KEY_LENGTH = 4;
/** Pages of task runs and chunks of log lines, up to 64 KiB each, that are read together for a response. */
const PAGES_AT_ONCE = 16;
/** Bytes of a cached record beside its value: the buffer object, the key and the cache entry. */
const CACHE_OVERHEAD = 600;

/** An execution and its stored form. */
export interface StoredExecution {
  readonly execution: Execution;
  readonly form: StoredForm;
}

/** The flow with a number. */
type FlowOf = (flowNo: number) => FlowKey | undefined;

/** How far an execution is read. */
interface Reading {
  /** Bytes of values that may still be read; further values are replaced by {@link shortenedValue}. */
  left: number;
  /** Task runs have only ordinals and task ids. */
  readonly isOutline?: boolean;
  /** Further task runs are not read. */
  readonly maxTaskRuns?: number;
  /** Task runs that have ended are left out. */
  readonly isOpenOnly?: boolean;
}

/** An execution for a page or an event. */
export interface ShownExecution {
  readonly execution: Execution;
  /** Number of its task runs that `execution` does not have. */
  readonly hiddenTaskRuns: number;
}

/** An execution for reading. */
export interface OpenedExecution {
  /** With its task runs if it is small. */
  readonly execution: Execution;
  /** The task runs of a large one, in order and without decisions, read on demand. */
  readonly taskRuns?: AsyncIterable<TaskRun>;
}

/** How the text of a list entry is made. */
interface SummaryOptions extends BodyForm {
  /** Values with a longer text are shortened. */
  readonly maxValueBytes: number;
}

interface Summary extends BodyParts {
  readonly history: History;
  /** The bound of the values. */
  readonly maxValueBytes: number;
  /** True if the text is the same for each bound. */
  readonly isComplete: boolean;
}

/** Reads executions and builds the mutations that store them. Commits nothing. */
export class ExecutionRecords {
  readonly #store: Store;
  readonly #values: ValueStore;
  readonly #flowOf: FlowOf;
  /** Texts for lists, by the bytes of the record; a new version of the record has new bytes. */
  readonly #summaries = new WeakMap<Uint8Array, Summary>();
  /** Results of {@link isOpen}, by the bytes of the record. */
  readonly #open = new WeakMap<Uint8Array, boolean>();
  readonly #recent = new RecentCache<string, Uint8Array>(
    CACHE_BYTES,
    (record) => record.length + CACHE_OVERHEAD,
  );
  /** The latest pending read of each key. A concurrent commit removes it, so that an outdated record is not cached. */
  readonly #reads = new Map<string, symbol>();

  constructor(store: Store, blobs: Blobs, flowOf: FlowOf) {
    this.#store = store;
    this.#values = new ValueStore(blobs, (tenant, id) => this.has(tenant, id));
    this.#flowOf = flowOf;
  }

  /**
   * Mutations that store the changes since the last call; clears the marks of changes. Returns a promise when large
   * values must be written first; the execution must not change until it resolves.
   */
  prepare(execution: Execution, form: StoredForm): Mutation[] | Promise<Mutation[]> {
    const lines = execution.newLogs;
    execution.newLogs = [];
    execution.logCount += lines.length;
    if (!form.isSpread) {
      form.inlineLogs.push(...lines);
      const text = inlineText(execution, form);
      if (text.length <= MAX_INLINE_CHARS) {
        execution.touched.clear();
        return [this.#setRecord(execution, inlineRecordBytes(text))];
      }
      form.isSpread = true;
    }
    return this.#prepareSpread(execution, form, form.inlineLogs.length > 0 ? form.inlineLogs : lines);
  }

  /** Caches a committed record. */
  remember(execution: Execution, mutations: readonly Mutation[]): void {
    const record = mutations[mutations.length - 1];
    const key = cacheKey(execution.tenant, execution.id);
    if (this.#reads.size > 0) this.#reads.delete(key);
    if (record?.type !== "set") return;
    const whole = wholeOf(record.value);
    if (whole) this.#recent.set(key, whole);
    else this.#recent.delete(key);
  }

  /** Removes large values that the durable commit has replaced; of a busy execution only if they are many. */
  removeReplaced(execution: Execution, values: LargeValues, isIdle: boolean): void {
    const replaced = values.settle(isIdle);
    if (replaced.length > 0) void this.#values.remove(execution, replaced);
  }

  /** The last committed state, or `undefined`. */
  load(tenant: string, id: string): Promise<StoredExecution | undefined> {
    return this.#load(tenant, id, { left: Infinity });
  }

  /** The last committed state for a page or an event: with a bounded number of task runs, and bounded values in all. */
  view(tenant: string, id: string): Promise<ShownExecution | undefined> {
    return this.#show(tenant, id, { left: MAX_VIEWED_VALUE_BYTES, maxTaskRuns: MAX_VIEWED_TASK_RUNS });
  }

  /** The last committed state with the first task runs; values are whole. */
  async beginning(tenant: string, id: string, maxTaskRuns: number): Promise<ShownExecution | undefined> {
    const shown = await this.#show(tenant, id, { left: Infinity, maxTaskRuns });
    // Whole pages are read.
    const surplus = (shown?.execution.taskRuns.length ?? 0) - maxTaskRuns;
    if (!shown || surplus <= 0) return shown;
    const { execution, hiddenTaskRuns } = shown;
    const taskRuns = execution.taskRuns.slice(0, maxTaskRuns);
    return { execution: { ...execution, taskRuns }, hiddenTaskRuns: hiddenTaskRuns + surplus };
  }

  #show(tenant: string, id: string, reading: Reading): Promise<ShownExecution | undefined> {
    return this.#readValues(tenant, id, async (bytes) => {
      const packed = decodeRecord(bytes, id);
      const { execution } = await this.#unpack(tenant, id, packed, reading);
      const count = typeof packed[6] === "number" ? packed[6] : packed[6].length;
      // A page may have more task runs than the record that was read before it.
      return { execution, hiddenTaskRuns: Math.max(0, count - execution.taskRuns.length) };
    });
  }

  /** The last committed state with those task runs alone that have not ended; large values are shortened. */
  async unfinished(tenant: string, id: string): Promise<Execution | undefined> {
    return (await this.#load(tenant, id, { left: 0, isOpenOnly: true }))?.execution;
  }

  /** The last committed state; large values are shortened. */
  shortened(tenant: string, id: string): Promise<StoredExecution | undefined> {
    return this.#load(tenant, id, { left: 0 });
  }

  /** The last committed state as far as log lines need it: no values, and of task runs only ordinals and task ids. */
  outline(tenant: string, id: string): Promise<StoredExecution | undefined> {
    return this.#load(tenant, id, { left: 0, isOutline: true });
  }

  /** The last committed state, its task runs and their values read one after the other; `undefined` when it does not exist. */
  open(tenant: string, id: string): Promise<OpenedExecution | undefined> {
    return this.#readValues(tenant, id, async (bytes) => {
      const packed = decodeRecord(bytes, id);
      const form = newForm();
      const execution = await this.#unpackHeader(tenant, id, packed, form);
      if (typeof packed[6] === "number") return { execution, taskRuns: this.#readTaskRuns(execution) };
      await this.#loadTaskRuns(execution, packed[6], form, { left: Infinity });
      return { execution };
    });
  }

  /** The task run with that ordinal, or `undefined`. */
  async taskRun(tenant: string, id: string, ordinal: number): Promise<TaskRun | undefined> {
    const opened = await this.open(tenant, id);
    if (!opened) return undefined;
    const { execution, taskRuns } = opened;
    if (!taskRuns) return taskRunOf(execution, ordinal);
    for await (const taskRun of taskRuns) if (taskRun.ordinal === ordinal) return taskRun;
    return undefined;
  }

  #load(tenant: string, id: string, reading: Reading): Promise<StoredExecution | undefined> {
    return this.#readValues(tenant, id, async (bytes) => {
      const stored = await this.#unpack(tenant, id, decodeRecord(bytes, id), reading);
      noteHeader(stored.form, bytes);
      return stored;
    });
  }

  async #unpack(
    tenant: string,
    id: string,
    packed: PackedExecution,
    reading: Reading,
  ): Promise<StoredExecution> {
    const form = newForm();
    const execution = await this.#unpackHeader(tenant, id, packed, form, reading);
    await this.#loadTaskRuns(execution, packed[6], form, reading);
    form.isSpread = typeof packed[6] === "number";
    form.storedStates = execution.history.length;
    if (Array.isArray(packed[7])) {
      form.inlineLogs = unpackRecordLines(packed[7], { execution, origin: packed[2] });
    }
    return { execution, form };
  }

  /** The last committed state without task runs and log lines, or `undefined`. */
  header(tenant: string, id: string): Promise<Execution | undefined> {
    return this.#readValues(tenant, id, (bytes) => this.#unpackHeader(tenant, id, decodeRecord(bytes, id)));
  }

  /** As {@link header}, without reading large values: they are shortened. For states, names and labels of many executions. */
  async facts(tenant: string, id: string): Promise<Execution | undefined> {
    return await this.#readValues(tenant, id, (bytes) => this.#factsOf(tenant, id, bytes));
  }

  #factsOf(tenant: string, id: string, bytes: Uint8Array): Promise<Execution> {
    return this.#unpackHeader(tenant, id, decodeRecord(bytes, id), newForm(), { left: 0 });
  }

  /** True for an execution that exists and has not ended. Synchronous when the result for the cached record is known. */
  isOpen(tenant: string, id: string): boolean | Promise<boolean> {
    const recent = this.#recent.get(cacheKey(tenant, id));
    return (recent && this.#open.get(recent)) ?? this.#readIsOpen(tenant, id);
  }

  async #readIsOpen(tenant: string, id: string): Promise<boolean> {
    return await this.#readValues(tenant, id, async (bytes) => {
      const isOpen = !isEnded((await this.#factsOf(tenant, id, bytes)).history);
      this.#open.set(bytes, isOpen);
      return isOpen;
    }) ?? false;
  }

  /**
   * The JSON text of an execution without task runs, for lists; `undefined` when it does not exist. Values with a longer
   * text are shortened. Synchronous when the text for the cached record is known.
   */
  summary(
    tenant: string,
    id: string,
    { maxValueBytes, ...form }: SummaryOptions,
  ): string | undefined | Promise<string | undefined> {
    const recent = this.#recent.get(cacheKey(tenant, id));
    const known = recent && this.#summaries.get(recent);
    if (known && (known.isComplete || known.maxValueBytes === maxValueBytes)) {
      return summaryText(known, form);
    }
    const options = { tenant, id, ...form, maxValueBytes };
    return this.#readValues(tenant, id, (bytes) => this.#summaryOf(bytes, options));
  }

  async #summaryOf(
    bytes: Uint8Array,
    { tenant, id, maxValueBytes, ...form }: SummaryOptions & { readonly tenant: string; readonly id: string },
  ): Promise<string> {
    const packed = decodeRecord(bytes, id);
    const hasAll = isSelfContained(packed);
    // Such a record is small as a whole, so that its values need not be measured.
    const isSmall = hasAll && bytes.length <= maxValueBytes;
    if (!isSmall) shortenHeader(packed, { tenant, id, maxValueBytes });
    const unpacked = await this.#unpackHeader(tenant, id, packed);
    const execution = isSmall ? unpacked : shortenLoop(unpacked, maxValueBytes);
    const { head, tail } = executionBodyParts(execution, { ...form, taskRuns: false });
    const summary = {
      head: flattenString(head),
      tail: flattenString(tail),
      history: execution.history,
      maxValueBytes,
      isComplete: hasAll && bytes.length <= MAX_LISTED_VALUE_BYTES_BEYOND,
    };
    this.#summaries.set(bytes, summary);
    return summaryText(summary, form);
  }

  /** All stored lines in the order they were written: the inline lines, then one piece for each chunk. */
  async *logLines({ execution, form }: StoredExecution): AsyncGenerator<readonly LogLine[]> {
    if (form.inlineLogs.length > 0) yield form.inlineLogs;
    if (!form.isSpread) return;
    const origin = originOf(execution);
    const chunks = this.#store.list(logChunksOf(execution.tenant, execution.id), {
      batchSize: PAGES_AT_ONCE,
    });
    for await (const { value } of chunks) {
      yield unpackChunkLines(decodeJson(value) as unknown as PackedLogLine[], origin);
    }
  }

  /** Reads the record, and with `read` what it refers to, of which nothing is removed meanwhile. */
  async #readValues<T>(
    tenant: string,
    id: string,
    read: (bytes: Uint8Array) => Promise<T>,
  ): Promise<T | undefined> {
    const recent = this.#recent.get(cacheKey(tenant, id));
    if (recent && isInline(recent)) return await read(recent);
    const release = this.#values.hold(id);
    try {
      const bytes = await this.#read(tenant, id);
      const value = bytes && await read(bytes);
      return await this.has(tenant, id) ? value : undefined; // It may have been deleted meanwhile.
    } finally {
      release();
    }
  }

  /** The executions of which a fact is true. */
  async having(tenant: string, ids: readonly string[], fact: RecordFact): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const releases = ids.map((id) => this.#values.hold(id));
    try {
      const records = await this.#readMany(tenant, ids);
      // One large input shortens all inputs.
      const large = fact.field === "inputs" ? undefined : { left: 0 };
      await Promise.all(ids.map(async (id, index) => {
        const bytes = records[index];
        if (!bytes) return;
        const execution = await this.#unpackHeader(tenant, id, decodeRecord(bytes, id), newForm(), large);
        if (isTrueOf(fact, execution)) found.add(id);
      }));
    } finally {
      for (const release of releases) release();
    }
    return found;
  }

  /** True when the execution exists. */
  async has(tenant: string, id: string): Promise<boolean> {
    return this.#recent.get(cacheKey(tenant, id)) !== undefined ||
      (await this.#store.get(executionKey(tenant, id))) !== null;
  }

  /** Mutations that remove the task run pages, log chunks and metrics of a removed execution. */
  removalsOf(tenant: string, id: string): Promise<Mutation[]> {
    const pages = taskRunPagesOf(tenant, id);
    const selectors = [executionPartsOf(tenant, id), pages, logChunksOf(tenant, id), metricsOf(tenant, id)];
    return deletionsOf(this.#store, ...selectors);
  }

  /** Removes a removed execution from the cache. */
  forget(tenant: string, id: string): void {
    this.#reads.delete(cacheKey(tenant, id));
    this.#recent.delete(cacheKey(tenant, id));
  }

  /** Empties the cache. */
  forgetAll(): void {
    this.#reads.clear();
    this.#recent.clear();
  }

  /** The records of many executions; those that must be read are not cached. */
  async #readMany(tenant: string, ids: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    const cached = new Map(ids.map((id) => [id, this.#recent.get(cacheKey(tenant, id))]));
    const missing = ids.filter((id) => cached.get(id) === undefined);
    const entries = await this.#store.getMany(missing.map((id) => executionKey(tenant, id)));
    for (const [index, id] of missing.entries()) {
      const bytes = entries[index]?.value;
      cached.set(id, bytes && (wholeOf(bytes) ?? await wholeValue(this.#store, executionKey(tenant, id))));
    }
    return ids.map((id) => cached.get(id));
  }

  async #read(tenant: string, id: string): Promise<Uint8Array | undefined> {
    const key = cacheKey(tenant, id);
    const recent = this.#recent.get(key);
    if (recent) return recent;
    const read = Symbol(id);
    this.#reads.set(key, read);
    try {
      const stored = (await this.#store.get(executionKey(tenant, id)))?.value;
      const bytes = stored && (wholeOf(stored) ?? await wholeValue(this.#store, executionKey(tenant, id)));
      if (bytes && this.#reads.get(key) === read) this.#recent.set(key, bytes);
      return bytes;
    } finally {
      if (this.#reads.get(key) === read) this.#reads.delete(key);
    }
  }

  #setRecord({ tenant, id }: Execution, value: Uint8Array): Mutation {
    return { type: "set", key: executionKey(tenant, id), value };
  }

  async #prepareSpread(
    execution: Execution,
    form: StoredForm,
    lines: readonly LogLine[],
  ): Promise<Mutation[]> {
    // Removed task runs may have a page of their own.
    if (!form.hasPages) { for (const { ordinal } of execution.taskRuns) execution.touched.add(ordinal); }
    const touched = [...execution.touched];
    execution.touched.clear();
    form.hasPages = true;
    form.inlineLogs = [];
    const values = form.values ??= new LargeValues();
    const written = await this.#values.write(execution, { values, touched });
    const pages = new Set(touched.map(pageOf));
    const pack = packingOf(form);
    const header = packHeader(execution, pack, execution.taskRuns.length, execution.logCount);
    return [
      ...written,
      ...[...pages].flatMap((page) => pageMutations(execution, page, { form, pack })),
      ...logMutations(execution, lines),
      ...headerMutations(execution, form, encodeJson(header)),
    ];
  }

  /** An execution without its task runs and log lines. */
  async #unpackHeader(
    tenant: string,
    id: string,
    packed: PackedExecution,
    form = newForm(),
    reading?: Reading,
  ): Promise<Execution> {
    const flow = this.#flowOf(packed[0]);
    if (!flow) throw new Error(`Cannot read execution "${id}": flow number ${packed[0]} is unknown`);
    await this.#values.resolveHeader(packed, { tenant, id, form, reading });
    return unpackExecution(packed, id, tenant, flow);
  }

  async #loadTaskRuns(
    execution: Execution,
    stored: PackedTaskRun[] | number,
    form: StoredForm,
    reading: Reading,
  ): Promise<void> {
    const { tenant, id } = execution;
    const from = { tenant, id, form, reading };
    const add = async (packed: PackedTaskRun[], first: number) => {
      let previous = first - 1;
      for (const taskRun of packed) {
        if (reading.isOutline) dropAllButIds(taskRun);
        const ordinal = ordinalOf(taskRun, previous);
        taskRun[3] = await this.#values.resolve(from, outputsPlace(ordinal), taskRun[3]);
        if (taskRun[7]) taskRun[7].d = await this.#values.resolve(from, decisionPlace(ordinal), taskRun[7].d);
        const unpacked = unpackTaskRun(taskRun, previous, originOf(execution));
        previous = unpacked.ordinal;
        if (!reading.isOpenOnly || !isEnded(unpacked.history)) execution.taskRuns.push(unpacked);
      }
    };
    if (typeof stored !== "number") return await add(stored, 0);
    form.hasPages = true;
    const { maxTaskRuns = Infinity } = reading;
    const options = reading.left === Infinity ? undefined : { batchSize: PAGES_AT_ONCE };
    for await (const [page, value] of this.#pagesOf(tenant, id, options)) {
      if (execution.taskRuns.length >= maxTaskRuns) break;
      notePage(form, page, value);
      await add(decodeJson(value) as unknown as PackedTaskRun[], page * PAGE_SIZE);
    }
  }

  /** The pages of task runs, in order. */
  async *#pagesOf(
    tenant: string,
    id: string,
    options?: ListOptions,
  ): AsyncGenerator<[page: number, value: Uint8Array]> {
    for await (const { key, value } of this.#store.list(taskRunPagesOf(tenant, id), options)) {
      const isPage = key.length === PAGE_KEY_LENGTH; // Further parts have longer keys.
      const page = isPage && (wholeOf(value) ?? await wholeValue(this.#store, key));
      if (page) yield [Number(key[3]), page];
    }
  }

  /** One task run after the other, without decisions: the values of at most one are in memory. */
  async *#readTaskRuns(execution: Execution): AsyncGenerator<TaskRun> {
    const { tenant, id } = execution;
    const origin = originOf(execution);
    const release = this.#values.hold(id);
    try {
      if (!await this.has(tenant, id)) return; // As above.
      for await (const [page, value] of this.#pagesOf(tenant, id, { batchSize: PAGES_AT_ONCE })) {
        let previous = page * PAGE_SIZE - 1;
        for (const taskRun of decodeJson(value) as unknown as PackedTaskRun[]) {
          const from = { tenant, id, form: newForm() };
          taskRun[3] = await this.#values.resolve(
            from,
            outputsPlace(ordinalOf(taskRun, previous)),
            taskRun[3],
          );
          if (taskRun[7]) delete taskRun[7].d;
          const unpacked = unpackTaskRun(taskRun, previous, origin);
          previous = unpacked.ordinal;
          yield unpacked;
        }
      }
    } finally {
      release();
    }
  }
}

/** The catalog row of an execution, which lists filter and sort by. */
export function catalogRow(execution: Execution): Uint8Array {
  const { history, trigger } = execution;
  const startMs = originOf(execution);
  return encodeRow({
    id: execution.id,
    flowNo: execution.flowNo,
    startMs,
    durationMs: isEnded(history) ? changedAt(history) - startMs : undefined,
    state: currentState(history),
    kind: execution.kind,
    triggerExecutionId: typeof trigger?.variables.executionId === "string"
      ? trigger.variables.executionId
      : undefined,
    maxLogLevel: execution.maxLogLevel,
    labels: execution.labels,
  });
}

function summaryText({ head, tail, history }: Summary, form: BodyForm): string {
  return head + durationText(history, form) + tail;
}

function cacheKey(tenant: string, id: string): string {
  return `${tenant}/${id}`;
}
