/**
 * Task runs over all executions. They have no index: the newest executions that were running in the window are read, a bounded
 * number of them.
 */
import type { Clock, Instant } from "../../base/time/clock.ts";
import { taskRunId } from "../../base/id.ts";
import type { JsonObject } from "../../base/json.ts";
import { partStart } from "../../base/time/time_parts.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import { taskRunBody } from "../../model/executions/execution_body.ts";
import type { State } from "../../model/executions/state.ts";
import { changedAt, currentState, isEnded, startedAt } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { openEach } from "../../store/records/executions/open_each.ts";
import type { PacedQueue } from "../access/paced_queue.ts";
import { activeIn } from "../charts/execution_conditions.ts";
import type { TimeWindow } from "../charts/chart_request.ts";
import type { StatisticsQuery } from "./execution_statistics.ts";
import { StateCells, stateEntries, timeParts, windowOf } from "./time_entries.ts";

interface TaskRunsDeps {
  readonly catalog: Catalog;
  readonly records: ExecutionRecords;
  readonly queue: PacedQueue;
  readonly clock: Clock;
}

/** Fields that task runs are ordered by. */
export const TASK_RUN_SORT_FIELDS = [
  ...["state.startDate", "state.endDate", "state.duration", "state.current"],
  ...["id", "taskId", "executionId", "namespace", "flowId"],
] as const;
type TaskRunSortField = typeof TASK_RUN_SORT_FIELDS[number];

/** Selects task runs: executions by their conditions, and their task runs by state. */
export interface TaskRunQuery extends StatisticsQuery {
  /** Absent: all. */
  readonly states?: readonly State[];
  /** Aborted when the client disconnects; then a read that waits for its turn fails. */
  readonly signal?: AbortSignal;
}

/** Order and page. */
export interface TaskRunPaging {
  readonly sort: readonly { readonly field: TaskRunSortField; readonly descending: boolean }[];
  /** From 1. */
  readonly page: number;
  readonly size: number;
}

/** A page of task runs. */
interface TaskRunPage {
  /** Number of task runs that were found. */
  readonly total: number;
  /** False if there may be more. */
  readonly isTotalExact: boolean;
  /** Their JSON texts, in pieces that are read on demand. */
  readonly pieces: AsyncGenerator<string[]>;
}

/** Executions that one request reads, newest first. */
const MAX_EXECUTIONS = 2_000;
/** Task runs that one request finds. */
export const MAX_TASK_RUNS = 10_000;
const TEXTS_PER_PIECE = 32;

/** What lists sort by, without the values of the task run. */
interface FoundTaskRun {
  readonly executionId: string;
  readonly ordinal: number;
  readonly namespace: string;
  readonly flowId: string;
  readonly taskId: string;
  readonly state: State;
  readonly startAt: Instant;
  readonly endAt?: Instant;
}

/** The use cases of task runs. */
export class TaskRuns {
  readonly #deps: TaskRunsDeps;

  constructor(deps: TaskRunsDeps) {
    this.#deps = deps;
  }

  /** Task runs that began in the window, newest first without an order. @throws DomainError invalid_argument: the window is wrong */
  async search(actor: Actor, query: TaskRunQuery, { sort, page, size }: TaskRunPaging): Promise<TaskRunPage> {
    const found: FoundTaskRun[] = [];
    const window = windowOf(query, this.#deps.clock.now());
    const isTotalExact = await this.#visit(actor, query, {
      window,
      visit: (taskRun) => found.push(taskRun) < MAX_TASK_RUNS,
    });
    const order = sort.length > 0 ? sort : [{ field: "state.startDate", descending: true }] as const;
    found.sort((a, b) => compareBy(order, a, b));
    const shown = found.slice((page - 1) * size, page * size);
    return { total: found.length, isTotalExact, pieces: this.#pieces(actor, shown) };
  }

  /** An entry for each part of the window, and whether all task runs were counted. @throws DomainError invalid_argument: the window is wrong */
  async daily(
    actor: Actor,
    query: TaskRunQuery,
  ): Promise<{ readonly entries: JsonObject[]; readonly isExact: boolean }> {
    const parts = timeParts(windowOf(query, this.#deps.clock.now()));
    const cells = new StateCells();
    const isExact = await this.#visit(actor, query, {
      window: parts,
      visit: ({ startAt, endAt, state }) => {
        const ms = endAt === undefined ? undefined : endAt - startAt;
        cells.add(partStart(startAt, parts.unit), state, ms);
        return true;
      },
    });
    return { entries: stateEntries(parts, cells.all, actor), isExact };
  }

  /** Passes the task runs to `visit` until it returns false; false if more may match than were passed. */
  #visit(
    actor: Actor,
    { conditions, states, signal }: TaskRunQuery,
    { window, visit }: Visit,
  ): Promise<boolean> {
    const { tenant } = actor;
    const { catalog, records, queue } = this.#deps;
    return queue.run(actor, async (pace) => {
      const sort = [{ field: "state.startDate", descending: true }] as const;
      const query = { ...activeIn(conditions, window), sort, page: 1, size: MAX_EXECUTIONS };
      const { ids, total } = await catalog.query(tenant, query);
      for await (const { execution, taskRuns } of openEach(records, tenant, ids)) {
        for await (const taskRun of taskRuns ?? execution.taskRuns) {
          if (pace.isDue) await pace.pause();
          const found = foundOf(execution, taskRun);
          if (found.startAt < window.start || found.startAt > window.end) continue;
          if (states && !states.includes(found.state)) continue;
          if (!visit(found)) return false;
        }
        if (pace.isDue) await pace.pause();
      }
      return total <= ids.length;
    }, signal);
  }

  async *#pieces({ tenant, durations }: Actor, found: readonly FoundTaskRun[]): AsyncGenerator<string[]> {
    const { records, clock } = this.#deps;
    for (let i = 0; i < found.length; i += TEXTS_PER_PIECE) {
      const slice = found.slice(i, i + TEXTS_PER_PIECE);
      const texts = new Map<string, string>();
      for (const [id, own] of Map.groupBy(slice, ({ executionId }) => executionId)) {
        const opened = await records.open(tenant, id);
        const wanted = new Set(own.map(({ ordinal }) => ordinal));
        for await (const taskRun of opened ? opened.taskRuns ?? opened.execution.taskRuns : []) {
          if (!opened || !wanted.delete(taskRun.ordinal)) continue;
          texts.set(
            taskRunId(id, taskRun.ordinal),
            taskRunBody(opened.execution, taskRun, { now: clock.now(), durations }),
          );
          if (wanted.size === 0) break;
        }
      }
      yield slice.flatMap(({ executionId, ordinal }) => texts.get(taskRunId(executionId, ordinal)) ?? []);
    }
  }
}

interface Visit {
  readonly window: TimeWindow;
  readonly visit: (taskRun: FoundTaskRun) => boolean;
}

function foundOf({ id: executionId, namespace, flowId }: Execution, taskRun: TaskRun): FoundTaskRun {
  const { ordinal, taskId, history } = taskRun;
  return {
    ...{ executionId, ordinal, namespace, flowId, taskId },
    state: currentState(history),
    startAt: startedAt(history),
    endAt: isEnded(history) ? changedAt(history) : undefined,
  };
}

const SORT_VALUES: Readonly<Record<TaskRunSortField, (taskRun: FoundTaskRun) => string | number>> = {
  "state.startDate": ({ startAt }) => startAt,
  "state.endDate": ({ endAt = Infinity }) => endAt,
  "state.duration": ({ startAt, endAt = Infinity }) => endAt - startAt,
  "state.current": ({ state }) => state,
  id: ({ executionId, ordinal }) => taskRunId(executionId, ordinal),
  taskId: ({ taskId }) => taskId,
  executionId: ({ executionId }) => executionId,
  namespace: ({ namespace }) => namespace,
  flowId: ({ flowId }) => flowId,
};

/** Equal ones newest first: by execution, then by their order in it. */
function compareBy(order: TaskRunPaging["sort"], a: FoundTaskRun, b: FoundTaskRun): number {
  for (const { field, descending } of order) {
    const [left, right] = [SORT_VALUES[field](a), SORT_VALUES[field](b)];
    if (left !== right) return (left < right) === descending ? 1 : -1;
  }
  if (a.executionId !== b.executionId) return a.executionId < b.executionId ? 1 : -1;
  return b.ordinal - a.ordinal;
}
