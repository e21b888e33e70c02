/** What a pass of a Loop sees of the executions around it: outputs of tasks that had ended when the loop began, and the trigger. */
import { type JsonObject, setOwnProperty } from "../base/json.ts";
import { sizeOf } from "../base/json_size.ts";
import { LruCache } from "../base/lru.ts";
import { type Execution, type TaskRun, taskRunOf } from "../model/executions/execution.ts";
import type { LoopRun } from "../model/executions/loop_run.ts";
import { changedAt, isEnded } from "../model/executions/state.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import { ancestorsOf, TaskRunViews } from "./task_run_views.ts";

/** Of the execution that goes over the values, and of those around that one. Shared by all passes: not to be changed. */
export interface OuterContext {
  /** Outputs by task id, as stored. */
  readonly outputs: JsonObject;
  /** Variables of what has triggered the outermost execution. */
  readonly trigger?: JsonObject;
}

/** Bytes of contexts that are kept. */
const CACHE_BYTES = 8_000_000;
const NOTHING: OuterContext = Object.freeze({ outputs: Object.freeze({}) });

/** Reads contexts; passes of one loop share one. */
export class LoopContexts {
  readonly #records: Pick<ExecutionRecords, "load">;
  readonly #known = new LruCache<string, OuterContext>(CACHE_BYTES);

  constructor(records: Pick<ExecutionRecords, "load">) {
    this.#records = records;
  }

  /** That of an execution; `undefined` for one that is no pass. Without the executions around it nothing of them is seen. */
  async of({ tenant, loop }: Execution): Promise<OuterContext | undefined> {
    if (!loop) return undefined;
    const known = this.#known.get(keyOf(tenant, loop.executionId, loop));
    if (known) return known;
    const stored = await this.#records.load(tenant, loop.executionId);
    return stored ? this.within(stored.execution, loop, await this.of(stored.execution)) : NOTHING;
  }

  /** That of the passes of a loop of this execution, which need not be stored yet. */
  within(execution: Execution, loop: Beginning, around?: OuterContext): OuterContext {
    const key = keyOf(execution.tenant, execution.id, loop);
    const known = this.#known.get(key);
    if (known) return known;
    const context: OuterContext = {
      outputs: merged(around?.outputs ?? {}, outputsBefore(execution, loop)),
      trigger: around ? around.trigger : execution.trigger?.variables,
    };
    this.#known.set(key, context, sizeOf(context.outputs, CACHE_BYTES));
    return context;
  }
}

/** Which loop of an execution, and since when. */
type Beginning = Pick<LoopRun, "taskRun" | "since">;

function keyOf(tenant: string, executionId: string, { taskRun, since }: Beginning): string {
  return `${tenant}/${executionId}/${taskRun}/${since}`;
}

/** Outputs of one execution over those of the executions around it: an id of a task is in one of them. */
export function merged(around: JsonObject, own: JsonObject): JsonObject {
  const outputs = { ...around };
  for (const id of Object.keys(own)) setOwnProperty(outputs, id, own[id] ?? null);
  return outputs;
}

function outputsBefore(execution: Execution, { taskRun: ordinal, since }: Beginning): JsonObject {
  const loop = taskRunOf(execution, ordinal);
  const around = new Set(loop && ancestorsOf(execution, loop).map((ancestor) => ancestor.ordinal));
  const seen = execution.taskRuns.filter((taskRun) =>
    around.has(taskRun.ordinal) || isBefore(taskRun, ordinal, since)
  );
  return new TaskRunViews({ ...execution, taskRuns: seen, touched: new Set() }).outputs;
}

function isBefore({ ordinal, history }: TaskRun, loop: number, since: number): boolean {
  return ordinal !== loop && isEnded(history) && changedAt(history) <= since;
}
