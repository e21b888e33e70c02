/** Log lines of executions piece by piece, however many there are, and what removes some or all of them. */
import type { Execution, LogLine } from "../../model/executions/execution.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { decodeJson, encodeJson } from "../codec.ts";
import { originOf, type PackedLogLine, packLogLine, unpackLogLine } from "./execution_codec.ts";
import { catalogRow, type ExecutionRecords, type StoredExecution } from "./execution_records.ts";
import { logChunksOf } from "../keys.ts";
import type { Entry } from "../committer.ts";
import type { Mutation, Store } from "../store.ts";

/** True for a line that is to be removed. */
export type IsGone = (line: LogLine) => boolean;

/** What removes lines. */
interface LogRemoval {
  /** Lines that go. */
  readonly count: number;
  /** To be committed in this order; each leaves a readable log. */
  readonly entries: readonly Entry[];
}

/** Chunks have up to 48 KiB each: what is written stays below the size of a group. */
const SETS_PER_ENTRY = 10;
const DELETES_PER_ENTRY = 200;

/** Reads log lines, and prepares what removes them. Writes nothing itself. */
export class LogRecords {
  readonly #store: Store;
  readonly #records: ExecutionRecords;

  constructor(store: Store, records: ExecutionRecords) {
    this.#store = store;
    this.#records = records;
  }

  /** An execution with the lines that are in its record. */
  load(tenant: TenantId, id: string): Promise<StoredExecution | undefined> {
    return this.#records.load(tenant, id);
  }

  /** All stored lines in order of writing, piece by piece. */
  async *pieces({ execution, form }: StoredExecution): AsyncGenerator<readonly LogLine[]> {
    if (form.inlineLogs.length > 0) yield form.inlineLogs;
    if (!form.isSpread) return;
    for await (const { value } of this.#store.list(logChunksOf(execution.tenant, execution.id))) {
      yield unpackChunk(value, execution);
    }
  }

  /** What removes lines of an execution that has ended. The execution must not be used for anything else afterwards. */
  async removal(stored: StoredExecution, isGone: IsGone): Promise<LogRemoval> {
    const inline = stored.form.inlineLogs.filter(isGone).length;
    const { mutations, count, kept } = await this.#chunkMutations(stored, isGone);
    const total = inline + count;
    if (total === 0) return { count: 0, entries: [] };
    const isEmpty = kept + stored.form.inlineLogs.length === inline;
    const last = isEmpty || inline > 0 ? [await this.#recordEntry(stored, isGone, isEmpty)] : [];
    return { count: total, entries: [...split(mutations), ...last] };
  }

  /** Chunks keep their keys: the number of lines ever written, from which keys are made, stays. */
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
      const packed = left.map((line) => packLogLine(line, origin));
      mutations.push(
        left.length === 0 ? { type: "delete", key } : { type: "set", key, value: encodeJson(packed) },
      );
    }
    return { mutations, count, kept };
  }

  /** The record without these lines, and a row that says when nothing is left. */
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

function unpackChunk(value: Uint8Array, execution: Execution): LogLine[] {
  const origin = originOf(execution);
  return (decodeJson(value) as unknown as PackedLogLine[]).map((line) => unpackLogLine(line, origin));
}

/** Deletes are small, sets are not. */
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
