/**
 * Removes old executions with all their data, a few at a time through the bulk lane. Live executions are never removed, nor
 * those that an execution under way awaits. A removal that a crash interrupts is completed at the next start, since it was
 * announced in the store.
 */
import type { Instant } from "../../base/time/clock.ts";
import { executionSelectionQuery } from "../../model/executions/execution_selection.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { TERMINAL_STATES } from "../../model/executions/state.ts";
import type { Catalog, ExecutionSpan } from "../../store/catalog/catalog.ts";
import { tombstoneRow } from "../../store/catalog/rows/row.ts";
import type { Committer } from "../../store/committer.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { executionKey } from "../../store/keys.ts";
import type { Mutation } from "../../store/store.ts";
import { AwaitingExecutions, isOpen } from "../executions/awaiting_executions.ts";
import type { ExecutionCleanup } from "../executions/execution_cleanup.ts";
import type { Executor } from "../../runtime/executor.ts";
import { KeptExecutions } from "./kept_executions.ts";

/** Without a rule, everything is kept. */
export interface RetentionRules {
  /** Executions that ended longer ago are removed. */
  readonly maxAgeMs?: number;
  /** Ended executions to keep per tenant: those that ended last. */
  readonly maxCount?: number;
}

/** What a step of the removal has done. */
interface RetentionStep {
  readonly removed: number;
  /** True if there may be more to remove. */
  readonly hasMore: boolean;
}

interface ExecutionRetentionDeps {
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly cleanup: ExecutionCleanup;
  readonly committer: Committer;
  readonly executor: Pick<Executor, "isLive" | "deletions">;
}

/** Executions of one catalog query. */
const PAGE_SIZE = 500;
/** Executions of one step: two commits of some 50 deletes, 2 ms each, so that starts are not delayed. */
const STEP = 25;

/** Removes executions by the retention rules. */
export class ExecutionRetention {
  readonly #deps: ExecutionRetentionDeps;
  readonly #awaiting: AwaitingExecutions;
  /** Of the tenants that keep some. */
  readonly #kept = new Map<TenantId, KeptExecutions>();

  constructor(deps: ExecutionRetentionDeps) {
    this.#deps = deps;
    this.#awaiting = new AwaitingExecutions(deps);
  }

  /** Removes some of the oldest. @throws DomainError when the database refuses */
  async removeSome(tenant: TenantId, rules: RetentionRules, now: Instant): Promise<RetentionStep> {
    const kept = this.#kept.get(tenant) ?? new KeptExecutions(now);
    const expired = await this.#expired(tenant, rules, now, kept);
    const last = expired.at(-1);
    if (!last) {
      const isUnderWay = (id: string) => this.#awaiting.isUnderWay(tenant, id);
      return { removed: 0, hasMore: kept.size > 0 && await kept.beginAgain(now, isUnderWay) };
    }
    const candidates = expired.filter(({ id }) => !kept.has(id));
    let removed = 0;
    for (let i = 0; i < candidates.length; i += STEP) {
      removed += await this.#remove(tenant, candidates.slice(i, i + STEP), kept);
    }
    const isKeeping = kept.size > 0;
    kept.after = isKeeping ? { endAt: last.endAt, id: last.id } : undefined;
    if (isKeeping) this.#kept.set(tenant, kept);
    else this.#kept.delete(tenant);
    return { removed, hasMore: removed > 0 || isKeeping };
  }

  /** Those that ended first behind the kept ones, and that a rule does not keep. */
  async #expired(
    tenant: TenantId,
    { maxAgeMs = Infinity, maxCount = Infinity }: RetentionRules,
    now: Instant,
    { after }: KeptExecutions,
  ): Promise<EndedSpan[]> {
    const endedBefore = maxCount === Infinity ? now - maxAgeMs : undefined;
    const query = executionSelectionQuery({ ofAllKinds: true, states: [...TERMINAL_STATES], endedBefore });
    const { spans, total } = await this.#deps.catalog.spans(tenant, {
      ...query,
      conditions: after ? [...query.conditions, { field: "endedAfter", ...after }] : query.conditions,
      sort: [{ field: "state.endDate", descending: false }, { field: "id", descending: false }],
      size: PAGE_SIZE,
    });
    // Those in front ended before all others: what the count keeps is behind them.
    return spans.filter(isEndedSpan).filter(({ endAt }, index) =>
      index < total - maxCount || endAt < now - maxAgeMs
    );
  }

  /** Removes executions in one entry, then their data. They cannot be resumed meanwhile. */
  async #remove(
    tenant: TenantId,
    candidates: readonly ExecutionSpan[],
    kept: KeptExecutions,
  ): Promise<number> {
    const { executor, cleanup } = this.#deps;
    const ids = candidates.map(({ id }) => id);
    const ended = await executor.deletions.run(tenant, ids, async (drop) => {
      const held = await this.#unkept(tenant, candidates, kept);
      for (const id of held) drop(id);
      const ended = await this.#ended(tenant, held, kept);
      if (ended.length > 0) await this.#deleteRecords(tenant, ended);
      return ended;
    });
    await cleanup.removeMany(tenant, ended);
    return ended.length;
  }

  /** Leaves out, and remembers, live executions and those that others await. Reads records only of those that others started, and of retried ones. */
  async #unkept(
    tenant: TenantId,
    candidates: readonly ExecutionSpan[],
    kept: KeptExecutions,
  ): Promise<string[]> {
    const keepers = await Promise.all(candidates.map(async ({ id, isChild, state }) => {
      if (!isChild && state !== "RETRIED") return undefined;
      const facts = await this.#deps.records.facts(tenant, id);
      return facts && await this.#awaiting.of(tenant, facts);
    }));
    return candidates.flatMap(({ id }, index) => {
      const keeper = keepers[index] ?? (this.#deps.executor.isLive(tenant, id) ? id : undefined);
      if (keeper === undefined) return [id];
      kept.add(id, keeper);
      return [];
    });
  }

  /** Leaves out, and remembers, executions that were restarted since the query, and ended ones that wait in `afterExecution`. */
  async #ended(tenant: TenantId, ids: readonly string[], kept: KeptExecutions): Promise<string[]> {
    const found = await Promise.all(ids.map((id) => this.#deps.records.unfinished(tenant, id)));
    return found.flatMap((unfinished) => {
      if (!unfinished) return [];
      if (!isOpen(unfinished)) return [unfinished.id];
      kept.add(unfinished.id, unfinished.id);
      return [];
    });
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

type EndedSpan = ExecutionSpan & { readonly endAt: Instant };

function isEndedSpan(span: ExecutionSpan): span is EndedSpan {
  return span.endAt !== undefined;
}
