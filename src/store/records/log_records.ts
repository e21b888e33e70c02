/** Stored log lines: reads them in pieces of bounded size, as a file of an attempt, and removes some or all of them. */
import { taskRunId } from "../../base/id.ts";
import { type Execution, type LogLine, taskRunOf } from "../../model/executions/execution.ts";
import { logLineText, parseLogFilePath } from "../../model/executions/log_file.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { type FilePart, partSize } from "../../model/ports/storage.ts";
import type { StoredFile } from "../blobs/execution_files.ts";
import { decodeJson } from "../codec.ts";
import {
  originOf,
  packChunkLine,
  type PackedLogLine,
  unpackChunkLines,
} from "./executions/execution_codec.ts";
import { catalogRow, type ExecutionRecords, type StoredExecution } from "./executions/execution_records.ts";
import { logChunksOf } from "../keys.ts";
import type { Entry } from "../committer.ts";
import type { Mutation, Store } from "../store.ts";
import { deleteKey, setJson } from "../stored_entries.ts";

/** True for a line that must be removed. */
export type IsGone = (line: LogLine) => boolean;

interface LogRemoval {
  /** Removed lines. */
  readonly count: number;
  /** Must be committed in this order; the log is readable after each entry. */
  readonly entries: readonly Entry[];
}

/** A chunk has up to 48 KiB, so an entry stays below the size limit of a group. */
const SETS_PER_ENTRY = 10;
/** The database moves as many pages as a commit frees. */
const DELETES_PER_ENTRY = 50;

/** Reads log lines and builds the entries that remove them. Commits nothing. */
export class LogRecords {
  readonly #store: Store;
  readonly #records: ExecutionRecords;

  constructor(store: Store, records: ExecutionRecords) {
    this.#store = store;
    this.#records = records;
  }

  /** An execution with its inline log lines. */
  load(tenant: TenantId, id: string): Promise<StoredExecution | undefined> {
    return this.#records.load(tenant, id);
  }

  /** An execution with its inline log lines, only for reading lines; see {@link ExecutionRecords.outline}. */
  outline(tenant: TenantId, id: string): Promise<StoredExecution | undefined> {
    return this.#records.outline(tenant, id);
  }

  /** See {@link ExecutionRecords.logLines}. */
  pieces(stored: StoredExecution): AsyncGenerator<readonly LogLine[]> {
    return this.#records.logLines(stored);
  }

  /**
   * The log of an attempt as a file; `undefined` when the task does not keep its log as a file. Only the log lines are
   * stored; the content is generated here, as it is read. Its stream fails if lines were deleted since.
   */
  async findFile(tenant: TenantId, id: string, path: string): Promise<StoredFile | undefined> {
    const wanted = parseLogFilePath(path);
    const stored = wanted && await this.#records.shortened(tenant, id);
    if (!wanted || !stored) return undefined;
    const { taskRuns } = stored.execution;
    const ordinal = taskRuns.find((taskRun) => taskRunId(id, taskRun.ordinal) === wanted.id)?.ordinal;
    const attempts = ordinal === undefined ? [] : taskRunOf(stored.execution, ordinal)?.attempts ?? [];
    if (!attempts[wanted.attempt]?.hasLogFile) return undefined;
    const isOwn = (line: LogLine) => line.taskRun === ordinal && line.attempt === wanted.attempt;
    let size = 0;
    for await (const bytes of this.#bytesOf(stored, isOwn)) size += bytes.length;
    const open = (part?: FilePart) => {
      const wanted = { offset: part?.offset ?? 0, length: partSize(size, part) };
      return ReadableStream.from(partOf(this.#bytesOf(stored, isOwn), wanted));
    };
    return { size, open };
  }

  async *#bytesOf(stored: StoredExecution, isOwn: (line: LogLine) => boolean): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    for await (const piece of this.pieces(stored)) {
      yield encoder.encode(piece.filter(isOwn).map(logLineText).join(""));
    }
  }

  /** Removes lines of an execution that has ended. The caller must not use `stored` afterwards. */
  async removal(stored: StoredExecution, isGone: IsGone): Promise<LogRemoval> {
    const inline = stored.form.inlineLogs.filter(isGone).length;
    const { mutations, count, kept } = await this.#chunkMutations(stored, isGone);
    const total = inline + count;
    if (total === 0) return { count: 0, entries: [] };
    const isEmpty = kept + stored.form.inlineLogs.length === inline;
    const last = isEmpty || inline > 0 ? [await this.#recordEntry(stored, isGone, isEmpty)] : [];
    return { count: total, entries: [...split(mutations), ...last] };
  }

  /** Chunks keep their keys, because the keys count all lines ever written. */
  async #chunkMutations({ execution, form }: StoredExecution, isGone: IsGone) {
    const mutations: Mutation[] = [];
    let [count, kept] = [0, 0];
    if (!form.isSpread) return { mutations, count, kept };
    const origin = originOf(execution);
    for await (const { key, value } of this.#store.list(logChunksOf(execution.tenant, execution.id))) {
      const lines = unpackChunk(value, execution);
      const left = lines.filter((line) => !isGone(line));
      count += lines.length - left.length;
      kept += left.length;
      if (left.length === lines.length) continue;
      const packed = left.map((line, index) => packChunkLine(line, left[index - 1], origin));
      mutations.push(left.length === 0 ? deleteKey(key) : setJson(key, packed));
    }
    return { mutations, count, kept };
  }

  /** The record without these lines; when no line is left also the catalog row, which then has no log level. */
  async #recordEntry({ execution, form }: StoredExecution, isGone: IsGone, isEmpty: boolean): Promise<Entry> {
    form.inlineLogs = form.inlineLogs.filter((line) => !isGone(line));
    if (!form.isSpread || isEmpty) execution.logCount = form.inlineLogs.length;
    if (isEmpty) execution.maxLogLevel = undefined;
    const mutations = await this.#records.prepare(execution, form);
    const { tenant } = execution;
    return {
      mutations,
      facts: isEmpty ? { rows: [{ tenant, row: catalogRow(execution) }] } : undefined,
      bulk: true,
      committed: () => this.#records.remember(execution, mutations),
    };
  }
}

/** A part of a content that comes in pieces. @throws Error it is shorter */
async function* partOf(
  pieces: AsyncIterable<Uint8Array>,
  { offset, length }: FilePart,
): AsyncGenerator<Uint8Array> {
  let [skipped, left] = [offset, length];
  if (left === 0) return;
  for await (const bytes of pieces) {
    const wanted = bytes.subarray(skipped, skipped + left);
    skipped = Math.max(0, skipped - bytes.length);
    left -= wanted.length;
    if (wanted.length > 0) yield wanted;
    if (left === 0) return;
  }
  throw new Error("Cannot read the log of an attempt: lines of it were deleted meanwhile");
}

function unpackChunk(value: Uint8Array, execution: Execution): LogLine[] {
  const origin = originOf(execution);
  return unpackChunkLines(decodeJson(value) as unknown as PackedLogLine[], origin);
}

/** Splits by weight: an entry holds at most {@link SETS_PER_ENTRY} sets or {@link DELETES_PER_ENTRY} deletes. */
function split(mutations: readonly Mutation[]): Entry[] {
  const entries: Entry[] = [];
  let group: Mutation[] = [];
  let weight = 0;
  for (const mutation of mutations) {
    const own = mutation.type === "set" ? 1 / SETS_PER_ENTRY : 1 / DELETES_PER_ENTRY;
    if (group.length > 0 && weight + own > 1) {
      entries.push({ mutations: group, bulk: true });
      group = [];
      weight = 0;
    }
    group.push(mutation);
    weight += own;
  }
  if (group.length > 0) entries.push({ mutations: group, bulk: true });
  return entries;
}
