/** Bulk deletes by tasks: of executions and their data, log lines, KV pairs. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import { DomainError, type ErrorCode, undefinedIfMissing } from "../../model/errors.ts";
import type { Execution, LogLine } from "../../model/executions/execution.ts";
import {
  type ExecutionSelection,
  executionSelectionQuery,
} from "../../model/executions/execution_selection.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { KvPairId } from "../../model/namespaces/kv_pair.ts";
import type { PurgeCaller, PurgedCounts, PurgedFiles, PurgedParts } from "../../model/ports/executions.ts";
import type { KvPurge } from "../../model/ports/kv_pairs.ts";
import type { LogPurge } from "../../model/ports/logs.ts";
import { isEnded, TERMINAL_STATES } from "../../model/executions/state.ts";
import type { Executor } from "../../runtime/executor.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { Committer } from "../../store/committer.ts";
import type { ExecutionFiles } from "../../store/blobs/execution_files.ts";
import type { ExecutionRecords, StoredExecution } from "../../store/records/executions/execution_records.ts";
import type { KvPairRecords } from "../../store/records/kv_pair_records.ts";
import type { MetricRecords } from "../../store/records/metric_records.ts";
import { AwaitingExecutions } from "../executions/awaiting_executions.ts";
import type { Executions } from "../executions/executions.ts";
import type { KvPairs } from "../namespaces/kv_pairs.ts";
import type { LogRemovals } from "../logs/log_removals.ts";

interface PurgesDeps {
  readonly executions: Executions;
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly files: ExecutionFiles;
  readonly metrics: MetricRecords;
  readonly logRemovals: LogRemovals;
  readonly kvPairs: KvPairs;
  readonly kvRecords: KvPairRecords;
  readonly committer: Committer;
  readonly executor: Pick<Executor, "isLive">;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Errors of reading an expired pair: `expired` at the first read, which removes it, then `not_found`. */
const EXPIRED: ReadonlySet<ErrorCode> = new Set(["expired", "not_found"]);

const IDS_PER_PIECE = 500;
const DELETES_PER_ENTRY = 200;
const FILES_PER_ENTRY = 16;

/** Deletes in bulk; stops between two executions when the caller aborts. */
export class Purges {
  readonly #deps: PurgesDeps;
  readonly #awaiting: AwaitingExecutions;

  constructor(deps: PurgesDeps) {
    this.#deps = deps;
    this.#awaiting = new AwaitingExecutions(deps);
  }

  /**
   * Deletes parts of the matching ended executions. Of one that another still awaits only logs and metrics may be deleted.
   * @throws DomainError when the database refuses */
  async executions(
    caller: PurgeCaller,
    selection: ExecutionSelection,
    parts: PurgedParts,
  ): Promise<PurgedCounts> {
    const counts = { executions: 0, logs: 0, metrics: 0, files: 0 };
    const isNeeded = parts.executions || parts.files;
    const ended = isNeeded ? this.#unawaited(caller, selection) : this.#ended(caller, selection);
    for await (const stored of ended) {
      const purged = await this.#purgeOne(stored, parts);
      counts.executions += purged.executions;
      counts.logs += purged.logs;
      counts.metrics += purged.metrics;
      counts.files += purged.files;
    }
    return counts;
  }

  /** Deletes the files of the matching ended executions that no other awaits; a dry run only counts. @throws DomainError when the database refuses */
  async executionFiles(
    caller: PurgeCaller,
    selection: ExecutionSelection,
    { isDryRun }: { readonly isDryRun: boolean },
  ): Promise<PurgedFiles> {
    const counts = { scanned: 0, purged: 0, deleted: 0 };
    for await (const stored of this.#unawaited(caller, selection)) {
      const files = await Array.fromAsync(this.#deps.files.list(caller.tenant, stored.execution.id));
      counts.scanned++;
      if (files.length === 0) continue;
      counts.purged++;
      if (isDryRun) continue;
      await this.#deleteFiles(stored, files);
      counts.deleted += files.length;
    }
    return counts;
  }

  /** Deletes log lines of ended executions; returns their number. @throws DomainError when the database refuses */
  async logs(caller: PurgeCaller, purge: LogPurge): Promise<number> {
    const isGone = lineFilter(purge);
    let count = 0;
    for await (const { tenant, id } of this.#withLogs(caller, purge)) {
      count += await this.#deps.logRemovals.remove(tenant, id, () => isGone) ?? 0;
    }
    return count;
  }

  /** Deletes KV pairs; returns their number. */
  async kvPairs(tenant: TenantId, { namespaces, keys, expiredOnly }: KvPurge): Promise<number> {
    const now = this.#deps.clock.now();
    const found: { namespace: string; key: string; isExpired: boolean }[] = [];
    for await (const { namespace, key, expiresAt } of this.#deps.kvRecords.list(tenant)) {
      const isExpired = expiresAt !== undefined && expiresAt <= now;
      if ((isExpired || !expiredOnly) && namespaces(namespace) && keys(key)) {
        found.push({ namespace, key, isExpired });
      }
    }
    let count = 0;
    for (const id of found) {
      const isDeleted = id.isExpired
        ? await this.#deleteExpired(tenant, id)
        : await this.#deps.kvPairs.delete({ tenant }, id);
      if (isDeleted) count++;
    }
    return count;
  }

  /** Removes an expired pair by reading it, which keeps a pair that was written again meanwhile. */
  async #deleteExpired(tenant: TenantId, id: KvPairId): Promise<boolean> {
    try {
      await this.#deps.kvPairs.get({ tenant }, id);
      return false;
    } catch (error) {
      if (error instanceof DomainError && EXPIRED.has(error.code)) return error.code === "expired";
      throw error;
    }
  }

  async #purgeOne(stored: StoredExecution, parts: PurgedParts): Promise<PurgedCounts> {
    const { tenant, id } = stored.execution;
    const metrics = parts.metrics ? await this.#deps.metrics.load(tenant, id) : [];
    const files = parts.files ? await Array.fromAsync(this.#deps.files.list(tenant, id)) : [];
    // Lines that were removed before are not in the stored logs.
    let logs = 0;
    if (parts.logs) { for await (const lines of this.#deps.records.logLines(stored)) logs += lines.length; }
    const counts = {
      executions: parts.executions ? 1 : 0,
      logs,
      metrics: metrics.reduce((sum, attempt) => sum + attempt.metrics.length, 0),
      files: files.length,
    };
    // Deleting an execution deletes all its parts.
    if (parts.executions) {
      await undefinedIfMissing(() => this.#deps.executions.delete({ tenant, user: "purge" }, id));
    } else await this.#purgeParts(stored, parts, files);
    return counts;
  }

  async #purgeParts(stored: StoredExecution, parts: PurgedParts, files: readonly string[]): Promise<void> {
    const { tenant, id } = stored.execution;
    if (parts.logs) await this.#deps.logRemovals.remove(tenant, id, () => () => true);
    const mutations = parts.metrics ? await this.#deps.metrics.removal(tenant, id) : [];
    for (let i = 0; i < mutations.length; i += DELETES_PER_ENTRY) {
      await this.#deps.committer.commit({ mutations: mutations.slice(i, i + DELETES_PER_ENTRY), bulk: true });
    }
    await this.#deleteFiles(stored, files);
  }

  async #deleteFiles({ execution }: StoredExecution, paths: readonly string[]): Promise<void> {
    const { files, committer, ids, clock } = this.#deps;
    const { tenant, id: executionId } = execution;
    for (let i = 0; i < paths.length; i += FILES_PER_ENTRY) {
      const batchId = ids.next(clock.now());
      const batch = files.batch({ tenant, executionId, folder: "", batchId });
      try {
        for (const path of paths.slice(i, i + FILES_PER_ENTRY)) await batch.delete(path);
        await committer.commit({ mutations: batch.take(), bulk: true });
      } catch (error) {
        await batch.discard();
        throw error;
      }
      await batch.committed();
    }
  }

  async *#withLogs(caller: PurgeCaller, purge: LogPurge): AsyncGenerator<Execution> {
    const { namespace, flowId, executionId, before } = purge;
    if (executionId === undefined) {
      const selection = {
        namespace,
        flowId,
        withChildNamespaces: flowId === undefined,
        startedBefore: before,
      };
      for await (const { execution } of this.#ended(caller, selection)) yield execution;
      return;
    }
    const stored = await this.#deps.records.outline(caller.tenant, executionId);
    const isMeant = stored && (namespace === undefined || stored.execution.namespace === namespace) &&
      (flowId === undefined || stored.execution.flowId === flowId);
    if (isMeant) yield stored.execution;
  }

  /** As {@link #ended}, without those whose outputs and files another execution still needs. */
  async *#unawaited(caller: PurgeCaller, selection: ExecutionSelection): AsyncGenerator<StoredExecution> {
    for await (const stored of this.#ended(caller, selection)) {
      if (await this.#awaiting.of(caller.tenant, stored.execution) === undefined) yield stored;
    }
  }

  /** Matching ended executions, oldest first. All ids are read first: executions that end meanwhile are not purged. */
  async *#ended(caller: PurgeCaller, selection: ExecutionSelection): AsyncGenerator<StoredExecution> {
    for (const id of await this.#idsOf(caller, selection)) {
      if (caller.signal.aborted) return;
      if (id === caller.executionId) continue;
      const stored = await this.#deps.records.outline(caller.tenant, id);
      if (stored && isEnded(stored.execution.history)) yield stored;
    }
  }

  async #idsOf({ tenant, signal }: PurgeCaller, selection: ExecutionSelection): Promise<string[]> {
    const query = executionSelectionQuery({ ...selection, ofAllKinds: true });
    const ended = { field: "state", states: [...TERMINAL_STATES], negated: false } as const;
    const conditions = [...query.conditions, ended];
    const ids: string[] = [];
    for await (const found of this.#deps.catalog.ids(tenant, { ...query, conditions }, IDS_PER_PIECE)) {
      ids.push(...found);
      if (signal.aborted) break;
    }
    return ids;
  }
}

function lineFilter({ levels, from, before }: LogPurge): (line: LogLine) => boolean {
  const start: Instant = from ?? -Infinity;
  return ({ level, at }) => at >= start && at < before && (levels === undefined || levels.includes(level));
}
