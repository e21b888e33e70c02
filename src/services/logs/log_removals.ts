/** Deleting log lines: of one execution, or of all executions of a flow. What is running keeps its lines. */
import type { Instant } from "../../base/clock.ts";
import { isId } from "../../base/id.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import { type Execution, EXECUTION_KINDS } from "../../model/executions/execution.ts";
import type { ExecutionQuery } from "../../model/executions/execution_query.ts";
import type { FlowKey, TenantId } from "../../model/flows/flow.ts";
import { isEnded, TERMINAL_STATES } from "../../model/executions/state.ts";
import type { Catalog, ExecutionSpan } from "../../store/catalog/catalog.ts";
import type { Pace } from "../../store/catalog/pace.ts";
import type { Changes } from "../../store/changes.ts";
import type { Committer } from "../../store/committer.ts";
import type { IsGone, LogRecords } from "../../store/records/log_records.ts";
import type { ExecutorPort } from "../executor_port.ts";
import { filterTest, type LogFilter } from "./log_entries.ts";

/** What the service works with. */
interface LogRemovalsDeps {
  readonly logs: LogRecords;
  readonly catalog: Catalog;
  readonly committer: Committer;
  readonly changes: Changes;
  readonly executor: Pick<ExecutorPort, "isLive" | "drop">;
  readonly pace: Pace;
}

/** Whose lines are deleted. */
interface FlowLogs extends FlowKey {
  /** Only of executions that this trigger has started. */
  readonly triggerId?: string;
}

/** Executions that one look gives. */
const ROUND = 2_000;

/** Deletes log lines. */
export class LogRemovals {
  readonly #deps: LogRemovalsDeps;

  constructor(deps: LogRemovalsDeps) {
    this.#deps = deps;
  }

  /** Deletes the lines of an execution that pass the filter; gives their number. @throws DomainError not_found, conflict: it has not ended */
  async ofExecution({ tenant }: Actor, id: string, filter: LogFilter = {}): Promise<number> {
    const stored = isId(id) ? await this.#deps.logs.load(tenant, id) : undefined;
    if (!stored) throw new DomainError("not_found", `Not Found: execution "${id}" does not exist`);
    const count = await this.remove(tenant, id, (execution) => filterTest(execution, filter));
    if (count !== undefined) return count;
    throw new DomainError(
      "conflict",
      `Illegal state: Cannot delete the logs of execution "${id}": it has not ended`,
    );
  }

  /** Deletes the lines of the executions of a flow that have ended; gives their number. Stops when `signal` is aborted. */
  async ofFlow({ tenant }: Actor, flow: FlowLogs, signal?: AbortSignal): Promise<number> {
    const { pace } = this.#deps;
    let count = 0;
    for await (const { id } of this.#withLogs(tenant, flow)) {
      if (signal?.aborted) break;
      const isWanted = ({ trigger }: Execution) =>
        flow.triggerId === undefined || trigger?.id === flow.triggerId;
      count += await this.remove(tenant, id, (execution) => () => isWanted(execution)) ?? 0;
      if (pace.isDue) await pace.pause();
    }
    return count;
  }

  /**
   * Deletes lines of an execution; gives their number, or nothing when it is under way. Nobody takes it up meanwhile.
   * @throws DomainError when the database refuses
   */
  async remove(
    tenant: TenantId,
    id: string,
    testFor: (execution: Execution) => IsGone,
  ): Promise<number | undefined> {
    const { logs, committer, changes, executor } = this.#deps;
    const before = await logs.load(tenant, id);
    if (!before || !isEnded(before.execution.history) || executor.isLive(tenant, id)) return undefined;
    executor.drop(tenant, id);
    try {
      const stored = await logs.load(tenant, id);
      if (!stored || !isEnded(stored.execution.history)) return undefined;
      const { count, entries } = await logs.removal(stored, testFor(stored.execution));
      for (const entry of entries) await committer.commit(entry);
      return count;
    } finally {
      changes.publish(tenant, id);
    }
  }

  /** Executions of a flow that have ended and logged something, oldest first. */
  async *#withLogs(tenant: TenantId, { namespace, id }: FlowKey): AsyncGenerator<ExecutionSpan> {
    const name = (field: "namespace" | "flowId", value: string) =>
      ({ field, operator: "EQUALS", values: [value] }) as const;
    let since: Instant = 0;
    for (;;) {
      const query: ExecutionQuery = {
        conditions: [
          name("namespace", namespace),
          name("flowId", id),
          { field: "state", states: [...TERMINAL_STATES], negated: false },
          { field: "kind", kinds: EXECUTION_KINDS, negated: false },
          { field: "maxLogLevel", least: "TRACE" },
          { field: "startDate", operator: "GREATER_THAN_OR_EQUAL_TO", at: since },
        ],
        groups: [],
        sort: [{ field: "state.startDate", descending: false }],
        page: 1,
        size: ROUND,
      };
      const { spans } = await this.#deps.catalog.spans(tenant, query);
      yield* spans;
      const last = spans[spans.length - 1];
      if (!last || spans.length < ROUND) return;
      // Those of that moment are looked at again, unless all were of it.
      since = last.startAt > since ? last.startAt : since + 1;
    }
  }
}
