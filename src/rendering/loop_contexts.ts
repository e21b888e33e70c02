/** What a pass of a Loop sees of its outer executions: outputs of tasks that had ended when the loop began, and the trigger. */
import { type JsonObject, setOwnProperty } from "../base/json.ts";
import { sizeOf } from "../base/json_size.ts";
import { LruCache } from "../base/lru.ts";
import { ancestorsOf } from "../engine/tree.ts";
import { type Execution, type TaskRun, taskRunOf } from "../model/executions/execution.ts";
import type { LoopRun } from "../model/executions/loop_run.ts";
import { changedAt, isEnded } from "../model/executions/state.ts";
import type { ExecutionRecords } from "../store/records/executions/execution_records.ts";
import { TaskRunViews } from "./task_run_views.ts";

/** Variables of the execution of the Loop and of those it is nested in. Shared by all passes, so never changed. */
export interface OuterContext {
  /** Outputs by task id, as stored. */
  readonly outputs: JsonObject;
  /** Trigger variables of the outermost execution. */
  readonly trigger?: JsonObject;
  /** Variables that tasks of the execution of the Loop have set. */
  readonly variables?: JsonObject;
}

/** Bytes of cached contexts. */
const CACHE_BYTES = 8_000_000;
const NOTHING: OuterContext = Object.freeze({ outputs: Object.freeze({}) });

/** Loads and caches contexts; the passes of a loop share one. */
export class LoopContexts {
  readonly #records: Pick<ExecutionRecords, "load">;
  readonly #known = new LruCache<string, OuterContext>(CACHE_BYTES);

  constructor(records: Pick<ExecutionRecords, "load">) {
    this.#records = records;
  }

  /** The context of an execution, empty if its outer executions are gone; `undefined` for one that is no pass. */
  async of({ tenant, loop }: Execution): Promise<OuterContext | undefined> {
    if (!loop) return undefined;
    const known = this.#known.get(keyOf(tenant, loop.executionId, loop));
    if (known) return known;
    const stored = await this.#records.load(tenant, loop.executionId);
    return stored ? this.within(stored.execution, loop, await this.of(stored.execution)) : NOTHING;
  }

  /** The context of the passes of a loop of this execution, which may not be stored yet. */
  within(execution: Execution, loop: Beginning, outer?: OuterContext): OuterContext {
    const key = keyOf(execution.tenant, execution.id, loop);
    const known = this.#known.get(key);
    if (known) return known;
    const context: OuterContext = {
      outputs: merged(outer?.outputs ?? {}, outputsBefore(execution, loop)),
      trigger: outer ? outer.trigger : execution.trigger?.variables,
      variables: execution.variables,
    };
    const { outputs, variables = null } = context;
    this.#known.set(key, context, sizeOf([outputs, variables], CACHE_BYTES));
    return context;
  }
}

/** The task run of a loop and its start. */
type Beginning = Pick<LoopRun, "taskRun" | "since">;

function keyOf(tenant: string, executionId: string, { taskRun, since }: Beginning): string {
  return `${tenant}/${executionId}/${taskRun}/${since}`;
}

/** Outputs of an execution merged over those of its outer executions; their task ids are distinct. */
export function merged(outer: JsonObject, own: JsonObject): JsonObject {
  const outputs = { ...outer };
  for (const id of Object.keys(own)) setOwnProperty(outputs, id, own[id] ?? null);
  return outputs;
}

function outputsBefore(execution: Execution, { taskRun: ordinal, since }: Beginning): JsonObject {
  const loop = taskRunOf(execution, ordinal);
  const ancestors = new Set(loop && ancestorsOf(execution, loop).map((ancestor) => ancestor.ordinal));
  const seen = execution.taskRuns.filter((taskRun) =>
    ancestors.has(taskRun.ordinal) || isBefore(taskRun, ordinal, since)
  );
  return new TaskRunViews({ ...execution, taskRuns: seen, touched: new Set() }).outputs;
}

function isBefore({ ordinal, history }: TaskRun, loop: number, since: number): boolean {
  return ordinal !== loop && isEnded(history) && changedAt(history) <= since;
}
