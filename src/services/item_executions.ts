/** Executions that a ForEachItem has started, for the part of it that gathers their outputs. */
import { taskRunOrdinal } from "../base/id.ts";
import type { JsonObject } from "../base/json.ts";
import { childId, type ChildNumbers, childNumbersOf } from "../engine/children.ts";
import type { AttemptIdentity } from "../model/attempt_identity.ts";
import { type Execution, type TaskRun, taskRunOf } from "../model/execution.ts";
import type { ItemExecutionPort } from "../model/ports/item_executions.ts";
import type { ExecutionRecords } from "../store/execution_records.ts";

/** Executions that are read at once. */
const READS_AT_ONCE = 20;

/** The port of the merging task. */
export class ItemExecutions implements ItemExecutionPort {
  readonly #records: ExecutionRecords;

  constructor(records: ExecutionRecords) {
    this.#records = records;
  }

  /** @inheritdoc */
  async outputs(
    { tenant, executionId, taskRunId }: AttemptIdentity,
  ): Promise<AsyncIterable<JsonObject> | undefined> {
    const stored = await this.#records.load(tenant, executionId);
    const owner = stored && ownerBeside(stored.execution, taskRunOrdinal(executionId, taskRunId) ?? -1);
    const numbers = owner && childNumbersOf(owner);
    return owner && numbers?.waits ? this.#read(tenant, owner, numbers) : undefined;
  }

  async *#read(tenant: string, owner: TaskRun, numbers: ChildNumbers): AsyncGenerator<JsonObject> {
    for (let first = 0; first < numbers.started; first += READS_AT_ONCE) {
      const count = Math.min(READS_AT_ONCE, numbers.started - first);
      const headers = Array.from({ length: count }, (_, offset) => {
        return this.#records.header(tenant, childId(owner, numbers, first + offset));
      });
      for (const header of await Promise.all(headers)) yield header?.outputs ?? {};
    }
  }
}

/** The task run with many executions in the same ForEachItem. */
function ownerBeside(execution: Execution, ordinal: number): TaskRun | undefined {
  const merge = taskRunOf(execution, ordinal);
  return merge &&
    execution.taskRuns.findLast((other) =>
      other.parent === merge.parent && other.ordinal < ordinal && childNumbersOf(other) !== undefined
    );
}
