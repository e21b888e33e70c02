/** Deletes log lines of executions that have ended: of one execution, or of all executions of a flow. */
import { isId } from "../../base/id.ts";
import type { Actor } from "../../model/access/actor.ts";
import { illegalState } from "../../model/errors.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { executionSelectionQuery } from "../../model/executions/execution_selection.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import { isEnded, TERMINAL_STATES } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { Pace } from "../../store/catalog/pace.ts";
import type { Committer } from "../../store/committer.ts";
import type { IsGone, LogRecords } from "../../store/records/log_records.ts";
import type { Executor } from "../../runtime/executor.ts";
import { filterTest, type LogFilter } from "./log_entries.ts";

interface LogRemovalsDeps {
  readonly logs: LogRecords;
  readonly catalog: Catalog;
  readonly committer: Committer;
  readonly executor: Pick<Executor, "isLive" | "deletions">;
  readonly pace: Pace;
}

interface FlowLogs extends FlowKey {
  /** Only lines of executions that this trigger started. */
  readonly triggerId?: string;
}

/** Executions of one catalog query. */
const PAGE_SIZE = 2_000;
/** Executions whose lines are deleted at the same time: they share commits, of 2 ms each, so that starts are not delayed. */
const REMOVED_AT_ONCE = 16;

const isEachGone: IsGone = () => true;

/** Deletes log lines. */
export class LogRemovals {
  readonly #deps: LogRemovalsDeps;

  constructor(deps: LogRemovalsDeps) {
    this.#deps = deps;
  }

  /** Deletes the lines of an execution that match the filter; returns their number, 0 if it does not exist. @throws DomainError conflict: it has not ended */
  async ofExecution({ tenant }: Actor, id: string, filter: LogFilter = {}): Promise<number> {
    if (!isId(id)) return 0;
    const count = await this.remove(tenant, id, (execution) => filterTest(execution, filter));
    if (count !== undefined) return count;
    throw illegalState(`Cannot delete the logs of execution "${id}": it has not ended`);
  }

  /** Deletes the lines of the ended executions of a flow; returns their number. Stops when `signal` is aborted. */
  async ofFlow({ tenant }: Actor, flow: FlowLogs, signal?: AbortSignal): Promise<number> {
    const { pace } = this.#deps;
    const testFor = ({ trigger }: Execution) =>
      flow.triggerId === undefined || trigger?.id === flow.triggerId ? isEachGone : undefined;
    let count = 0;
    for await (const some of this.#withLogs(tenant, flow)) {
      if (signal?.aborted) break;
      const counts = await Promise.all(some.map((id) => this.remove(tenant, id, testFor)));
      for (const removed of counts) count += removed ?? 0;
      if (pace.isDue) await pace.pause();
    }
    return count;
  }

  /**
   * Deletes lines of an execution for which `testFor` gives a test; returns their number, 0 if it does not exist, `undefined` if
   * it has not ended. It cannot be resumed meanwhile. @throws DomainError when the database refuses
   */
  remove(
    tenant: TenantId,
    id: string,
    testFor: (execution: Execution) => IsGone | undefined,
  ): Promise<number | undefined> {
    const { logs, committer, executor } = this.#deps;
    return executor.deletions.run(tenant, [id], async (drop) => {
      const before = await logs.load(tenant, id);
      if (!before) return 0;
      if (!isEnded(before.execution.history) || executor.isLive(tenant, id)) return undefined;
      if (!testFor(before.execution)) return 0;
      drop(id);
      const stored = await logs.load(tenant, id);
      if (!stored || !isEnded(stored.execution.history)) return undefined;
      const isGone = testFor(stored.execution);
      if (!isGone) return 0;
      const { count, entries } = await logs.removal(stored, isGone);
      for (const entry of entries) await committer.commit(entry);
      return count;
    });
  }

  /** Ended executions of a flow that have log lines, some at a time, oldest first. */
  async *#withLogs(tenant: TenantId, { namespace, id }: FlowKey): AsyncGenerator<readonly string[]> {
    const ended = { namespace, flowId: id, ofAllKinds: true, states: [...TERMINAL_STATES] };
    const query = executionSelectionQuery(ended);
    const conditions = [...query.conditions, { field: "maxLogLevel", least: "TRACE" } as const];
    for await (const ids of this.#deps.catalog.ids(tenant, { ...query, conditions }, PAGE_SIZE)) {
      for (let start = 0; start < ids.length; start += REMOVED_AT_ONCE) {
        yield ids.slice(start, start + REMOVED_AT_ONCE);
      }
    }
  }
}
