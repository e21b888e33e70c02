/**
 * The executions of a restarted Loop or ForEachItem: successful ones are kept, the others run again, as many at once as the
 * loop allows.
 */
import { isJsonObject } from "../../base/json.ts";
import type { ChildNumbers } from "../../engine/children/child_numbers.ts";
import { childId, childNumbersOf, roomFor } from "../../engine/children/children.ts";
import type { Event, RestartedChild } from "../../engine/events.ts";
import type { TaskRun } from "../../model/executions/execution.ts";
import { currentState, isEnded, type State } from "../../model/executions/state.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import { lastSuccessor, RESTARTED } from "./child_restart.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import type { ChildStart } from "./subflow.ts";

/** Executions that one commit restarts at most. */
const RESTARTS_AT_ONCE = 50;
/** Executions that are read at once. */
const READS_AT_ONCE = 20;

/** An execution to restart. */
interface FailedChild extends RestartedChild {
  readonly index: number;
  readonly former: State;
}

/** Finds the executions to restart. */
export class ManyRestarts {
  readonly #records: Pick<ExecutionRecords, "header">;

  constructor(records: Pick<ExecutionRecords, "header">) {
    this.#records = records;
  }

  /** The first or next batch; `undefined` if none is to restart. */
  async start(live: LiveExecution, taskRun: TaskRun): Promise<ChildStart | undefined> {
    const known = childNumbersOf(taskRun);
    if (!known) return await this.#begin(live, taskRun);
    return known.again && known.again.left > 0 ? await this.#next(live, taskRun, known) : undefined;
  }

  /** `undefined` if the task run was not restarted, or an execution is missing or has not ended: then all start anew. */
  async #begin(live: LiveExecution, taskRun: TaskRun): Promise<ChildStart | undefined> {
    const kept = taskRun.decision?.restarts;
    if (!isJsonObject(kept)) return undefined;
    const { isOver: _, isBroken: _isBroken, again: _again, ...former } = kept as unknown as ChildNumbers;
    const ended: Record<string, number> = {};
    const failed: FailedChild[] = [];
    for await (
      const { index, startedId, execution } of this.#executions(live, taskRun, { numbers: former, from: 0 })
    ) {
      if (!execution || !isEnded(execution.history)) return undefined;
      const state = currentState(execution.history);
      ended[state] = (ended[state] ?? 0) + 1;
      if (RESTARTED.has(state)) failed.push({ index, executionId: execution.id, startedId, former: state });
    }
    const total = former.breaks ? former.started : former.total;
    const begins = { ...former, total, ended, again: { next: 0, left: failed.length, running: 0 } };
    const some = failed.slice(0, atOnce(begins));
    return eventOf(
      taskRun,
      { begins, from: 0, next: nextAfter(some, 0), left: failed.length - some.length },
      some,
    );
  }

  async #next(live: LiveExecution, taskRun: TaskRun, numbers: ChildNumbers): Promise<ChildStart> {
    const { next: from = 0, left = 0 } = numbers.again ?? {};
    const max = Math.min(left, atOnce(numbers));
    const some: FailedChild[] = [];
    for await (const { index, startedId, execution } of this.#executions(live, taskRun, { numbers, from })) {
      if (some.length === max) break;
      const state = execution && currentState(execution.history);
      if (state && RESTARTED.has(state)) {
        some.push({ index, executionId: execution.id, startedId, former: state });
      }
    }
    // Some of them may have been restarted by a request meanwhile.
    const isLast = some.length < max;
    const next = isLast ? numbers.started : nextAfter(some, from);
    return eventOf(taskRun, { from, next, left: isLast ? 0 : left - some.length }, some);
  }

  async *#executions(
    { execution: { tenant } }: LiveExecution,
    taskRun: TaskRun,
    { numbers, from }: { readonly numbers: ChildNumbers; readonly from: number },
  ) {
    for (let first = from; first < numbers.started; first += READS_AT_ONCE) {
      const count = Math.min(READS_AT_ONCE, numbers.started - first);
      yield* await Promise.all(Array.from({ length: count }, async (_, offset) => {
        const startedId = childId(taskRun, numbers, first + offset);
        return {
          index: first + offset,
          startedId,
          execution: await lastSuccessor(this.#records, tenant, startedId),
        };
      }));
    }
  }
}

function atOnce(numbers: ChildNumbers): number {
  return Math.min(RESTARTS_AT_ONCE, roomFor(numbers));
}

function nextAfter(some: readonly FailedChild[], from: number): number {
  const last = some.at(-1);
  return last ? last.index + 1 : from;
}

type Restarted = Extract<Event, { type: "children_restarted" }>;

function eventOf(
  { ordinal, attempts }: TaskRun,
  progress: Pick<Restarted, "begins" | "from" | "next" | "left">,
  some: readonly FailedChild[],
): ChildStart {
  const executions = some.map(({ index: _, ...each }) => each);
  return {
    event: {
      type: "children_restarted",
      taskRun: ordinal,
      attempt: attempts.length,
      ...progress,
      executions,
    },
  };
}
