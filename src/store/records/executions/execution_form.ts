/** Splits an execution into keys: header, pages of task runs, chunks of log lines. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { jsonBytes } from "../../../base/json_size.ts";
import type { Execution, LogLine, TaskRun } from "../../../model/executions/execution.ts";
import { MAX_LOG_CHUNK_BYTES } from "../../../model/limits.ts";
import { encodeJson } from "../../codec.ts";
import {
  originOf,
  packChunkLine,
  type PackedExecution,
  type PackedLogLine,
  type PackedTaskRun,
  packExtras,
  packHistory,
  packLabels,
  packRecordLine,
  packTaskRun,
  type TaskRunPacking,
} from "./execution_codec.ts";
import { inlineRecordText } from "./inline_record.ts";
import { HEADER_PLACES, LargeValues } from "./large_values.ts";
import { executionKey, logChunkKey, taskRunPageKey } from "../../keys.ts";
import type { Mutation } from "../../store.ts";
import { deleteParts, partCount, setInParts } from "../../value_parts.ts";

/** Task runs of one page. Outputs above 1 KiB are blobs; a page of long values or histories has several parts. */
export const PAGE_SIZE = 32;
const MAX_LOG_CHUNK_CHARS = 16_384;
/** Bytes of a packed line beside its message and the id of its task. */
const LINE_BYTES = 40;

/** The stored form of an execution so far. Owned by the code that changes the execution. */
export interface StoredForm {
  /** Task runs and log lines have separate keys. */
  isSpread: boolean;
  /** All pages were written, so only pages with touched task runs must be rewritten. */
  hasPages: boolean;
  /** All log lines while they are inline. */
  inlineLogs: LogLine[];
  /** Parts that are stored at most of long pages, and of a long header under {@link HEADER}; absent if there was none. */
  parts?: Map<number, number>;
  /** Its values that are stored as blobs; absent if it never had one. */
  values?: LargeValues;
  /** Number of stored states of the history, including the state at creation. */
  storedStates: number;
}

/** Stands for the header among the pages. */
const HEADER = -1;

/** Notes the parts of a stored page, or of the header. They stay noted: the database may refuse a commit with fewer. */
function noteParts(form: StoredForm, page: number, bytes: number): void {
  const count = partCount(bytes);
  if (count > (form.parts?.get(page) ?? 1)) (form.parts ??= new Map()).set(page, count);
}

/** Notes the parts of a page that was read. */
export function notePage(form: StoredForm, page: number, { length }: Uint8Array): void {
  noteParts(form, page, length);
}

/** Notes the parts of a header that was read. */
export function noteHeader(form: StoredForm, { length }: Uint8Array): void {
  noteParts(form, HEADER, length);
}

/** Stores the header; the record of the execution is the last mutation. */
export function headerMutations({ tenant, id }: Execution, form: StoredForm, value: Uint8Array): Mutation[] {
  const former = form.parts?.get(HEADER);
  noteParts(form, HEADER, value.length);
  return setInParts(executionKey(tenant, id), value, former);
}

/** The form of an execution that is not stored yet. */
export function newForm(): StoredForm {
  return {
    isSpread: false,
    hasPages: false,
    inlineLogs: [],
    parts: undefined,
    values: undefined,
    storedStates: 1,
  };
}

/**
 * The form of a new execution. A pass of a Loop refers to large inputs of the execution that creates it, or to what those
 * refer to. Inputs never change, so they are stored as long as that execution is.
 */
export function formOf(
  { loop, inputs }: Execution,
  creator: { readonly execution: Execution; readonly form: StoredForm } | undefined,
): StoredForm {
  const form = newForm();
  const reference = loop && inputs && creator?.form.values?.referenceOf(inputs);
  if (!creator || !reference) return form;
  const { id } = creator.execution;
  const [blobId, size, owner = id] = reference;
  if (owner === id && loop.executionId !== id) return form; // It replaces a pass, and may outlive that.
  form.values = new LargeValues();
  form.values.addStored(HEADER_PLACES.inputs, inputs, [blobId, size, owner]);
  return form;
}

/** True if a record has all values. */
export function isSelfContained(packed: PackedExecution): boolean {
  return typeof packed[6] !== "number" && !Array.isArray(packed[4]);
}

/** Packs a value: as its reference if it has one. */
export function packingOf({ values }: StoredForm): (value: JsonObject) => JsonValue {
  return values ? (value) => values.referenceOf(value) ?? value : inline;
}

/** The text of the record of an execution whose task runs and log lines are inline. */
export function inlineText(execution: Execution, form: StoredForm): string {
  const origin = originOf(execution);
  const pack = packingOf(form);
  const taskRuns = packTaskRuns(execution.taskRuns, -1, { origin, pack });
  const logs = form.inlineLogs.map((line) => packRecordLine(line, { execution, origin }));
  return inlineRecordText(packHeader(execution, pack, taskRuns, logs), execution.id);
}

/** The header of an execution; `pack` replaces values that may be large. */
export function packHeader(
  execution: Execution,
  pack: (value: JsonObject) => JsonValue,
  taskRuns: PackedTaskRun[] | number,
  logs: PackedLogLine[] | number,
): PackedExecution {
  const origin = originOf(execution);
  const { flowNo, flowRevision, history, inputs } = execution;
  const header: PackedExecution = [
    flowNo,
    flowRevision,
    origin,
    packHistory(history, origin),
    inputs ? pack(inputs) : 0,
    packLabels(execution),
    taskRuns,
    logs,
  ];
  const extras = packExtras(execution, pack);
  if (extras) header.push(extras);
  return header;
}

function inline(value: JsonObject): JsonValue {
  return value;
}

function packTaskRuns(
  taskRuns: readonly TaskRun[],
  previous: number,
  packing: TaskRunPacking,
): PackedTaskRun[] {
  let before = previous;
  return taskRuns.map((taskRun) => {
    const packed = packTaskRun(taskRun, before, packing);
    before = taskRun.ordinal;
    return packed;
  });
}

/** Page of a task run. */
export function pageOf(ordinal: number): number {
  return Math.floor(ordinal / PAGE_SIZE);
}

/** Stores one page: the {@link PAGE_SIZE} ordinals from `page * PAGE_SIZE`; deletes the page when it is empty. */
export function pageMutations(
  execution: Execution,
  page: number,
  { form, pack }: { readonly form: StoredForm; readonly pack: (value: JsonObject) => JsonValue },
): Mutation[] {
  const { tenant, id, taskRuns } = execution;
  const first = page * PAGE_SIZE;
  const key = taskRunPageKey(tenant, id, page);
  const from = firstIndexFrom(taskRuns, first);
  const of = taskRuns.slice(from, firstIndexFrom(taskRuns, first + PAGE_SIZE));
  const former = form.parts?.get(page);
  if (of.length === 0) return deleteParts(key, former);
  const value = encodeJson(packTaskRuns(of, first - 1, { origin: originOf(execution), pack }));
  noteParts(form, page, value.length);
  return setInParts(key, value, former);
}

/** Index of the first task run whose ordinal is at least `ordinal`. */
function firstIndexFrom(taskRuns: readonly TaskRun[], ordinal: number): number {
  let low = 0;
  let high = Math.min(ordinal, taskRuns.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((taskRuns[middle] as TaskRun).ordinal < ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Stores `lines`, the last ones of the execution, in chunks; the key of a chunk is the number of its first line. */
export function logMutations(execution: Execution, lines: readonly LogLine[]): Mutation[] {
  const { tenant, id } = execution;
  const mutations: Mutation[] = [];
  let first = execution.logCount - lines.length;
  let chunk: PackedLogLine[] = [];
  let before: LogLine | undefined;
  let [chars, bytes] = [0, 0];
  const flush = () => {
    if (chunk.length === 0) return;
    mutations.push({ type: "set", key: logChunkKey(tenant, id, first), value: encodeJson(chunk) });
    first += chunk.length;
    chunk = [];
    before = undefined;
    [chars, bytes] = [0, 0];
  };
  for (const line of lines) {
    const beside = LINE_BYTES + (line.taskId?.length ?? 0);
    const own = jsonBytes(line.message) + beside;
    if (chars + line.message.length > MAX_LOG_CHUNK_CHARS || bytes + own > MAX_LOG_CHUNK_BYTES) flush();
    chunk.push(packChunkLine(line, before, originOf(execution)));
    before = line;
    chars += line.message.length + beside;
    bytes += own;
  }
  flush();
  return mutations;
}
