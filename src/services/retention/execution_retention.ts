/**
 * Removes old executions with all their data, a few at a time through the bulk lane. Live executions are never removed. A
 * removal that a crash interrupts is completed at the next start, since it was announced in the store.
 */
import type { Instant } from "../../base/time/clock.ts";
import { executionSelectionQuery } from "../../model/executions/execution_selection.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { isEnded, TERMINAL_STATES } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import { tombstoneRow } from "../../store/catalog/rows/row.ts";
import type { Changes } from "../../store/changes.ts";
import type { Committer } from "../../store/committer.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { executionKey } from "../../store/keys.ts";
import type { Mutation } from "../../store/store.ts";
import type { ExecutionCleanup } from "../executions/execution_cleanup.ts";
import type { Executor } from "../../runtime/executor.ts";

/** Without a rule, everything is kept. */
export interface RetentionRules {
  /** Executions that ended longer ago are removed. */
  readonly maxAgeMs?: number;
  /** Ended executions to keep per tenant: those that ended last. */
  readonly maxCount?: number;
}

interface ExecutionRetentionDeps {
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly cleanup: ExecutionCleanup;
  readonly committer: Committer;
  readonly changes: Changes;
  readonly executor: Pick<Executor, "isLive" | "drop">;
}

/** Executions of one catalog query. */
const PAGE_SIZE = 500;
/** Executions of one step: two commits of some 50 deletes, 2 ms each, so that starts are not delayed. */
const STEP = 25;

/** Removes executions by the retention rules. */
export class ExecutionRetention {
  readonly #deps: ExecutionRetentionDeps;

  constructor(deps: ExecutionRetentionDeps) {
    this.#deps = deps;
  }

  /** Removes some of the oldest; returns their number, 0 if nothing is left to remove. @throws DomainError when the database refuses */
  async removeSome(tenant: TenantId, rules: RetentionRules, now: Instant): Promise<number> {
    const expired = await this.#expired(tenant, rules, now);
    let removed = 0;
    for (let i = 0; i < expired.length; i += STEP) {
      removed += await this.#remove(tenant, expired.slice(i, i + STEP));
    }
    return removed;
  }

  async #expired(tenant: TenantId, { maxAgeMs, maxCount }: RetentionRules, now: Instant): Promise<string[]> {
    const ids = new Set<string>();
    if (maxAgeMs !== undefined) {
      const { spans } = await this.#oldest(tenant, now - maxAgeMs);
      for (const { id } of spans) ids.add(id);
    }
    if (maxCount !== undefined) {
      const { spans, total } = await this.#oldest(tenant);
      for (const { id } of spans.slice(0, Math.max(0, total - maxCount))) ids.add(id);
    }
    return [...ids];
  }

  /** The executions that ended first, and the number of all ended ones. */
  #oldest(tenant: TenantId, endedBefore?: Instant) {
    return this.#deps.catalog.spans(tenant, {
      ...executionSelectionQuery({ ofAllKinds: true, states: [...TERMINAL_STATES], endedBefore }),
      sort: [{ field: "state.endDate", descending: false }, { field: "id", descending: false }],
      size: PAGE_SIZE,
    });
  }

  /** Removes executions in one entry, then their data. They cannot be resumed meanwhile. */
  async #remove(tenant: TenantId, candidates: readonly string[]): Promise<number> {
    const { executor, cleanup, changes } = this.#deps;
    const held = candidates.filter((id) => !executor.isLive(tenant, id));
    for (const id of held) executor.drop(tenant, id);
    let ended: string[];
    try {
      ended = await this.#ended(tenant, held);
      if (ended.length > 0) await this.#deleteRecords(tenant, ended);
    } finally {
      for (const id of held) changes.publish(tenant, id);
    }
    await cleanup.removeMany(tenant, ended);
    return ended.length;
  }

  /** Leaves out executions that were restarted since the query. */
  async #ended(tenant: TenantId, ids: readonly string[]): Promise<string[]> {
    const headers = await Promise.all(ids.map((id) => this.#deps.records.facts(tenant, id)));
    return headers.flatMap((header) => header && isEnded(header.history) ? [header.id] : []);
  }

  async #deleteRecords(tenant: TenantId, ids: readonly string[]): Promise<void> {
    const { committer, records, cleanup } = this.#deps;
    await committer.commit({
      mutations: ids.flatMap((id): Mutation[] => [
        { type: "delete", key: executionKey(tenant, id) },
        cleanup.announce(tenant, id),
      ]),
      facts: { rows: ids.map((id) => ({ tenant, row: tombstoneRow(id) })) },
      bulk: true,
      committed: () => ids.forEach((id) => records.forget(tenant, id)),
    });
  }
}
