/** Outputs of the executions that a ForEachItem or a Loop has started. */
import { taskRunOrdinal } from "../../base/id.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ChildNumbers } from "../../engine/children/child_numbers.ts";
import { childIds, childNumbersOf } from "../../engine/children/children.ts";
import type { AttemptIdentity } from "../../model/executions/attempt_identity.ts";
import { type Execution, type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import type { EndedPass, ItemExecutionPort } from "../../model/ports/item_executions.ts";
import { lastSuccessor } from "../../runtime/children/child_restart.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";

/** Executions that are read at once. */
const READS_AT_ONCE = 20;

/** Reads these outputs for the tasks that collect them. */
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

  /** @inheritdoc */
  async *passes(tenant: string, ids: readonly string[]): AsyncGenerator<EndedPass> {
    for await (const header of this.#headers(tenant, ids)) {
      if (header?.loop) yield { item: header.loop.item, outputs: header.outputs ?? {} };
    }
  }

  async *#read(tenant: string, owner: TaskRun, numbers: ChildNumbers): AsyncGenerator<JsonObject> {
    for await (const header of this.#headers(tenant, childIds(owner, numbers))) yield header?.outputs ?? {};
  }

  async *#headers(tenant: string, ids: readonly string[]): AsyncGenerator<Execution | undefined> {
    for (let first = 0; first < ids.length; first += READS_AT_ONCE) {
      const some = ids.slice(first, first + READS_AT_ONCE);
      yield* await Promise.all(some.map((id) => lastSuccessor(this.#records, tenant, id)));
    }
  }
}

/** The task run of the same ForEachItem that started the executions. */
function ownerBeside(execution: Execution, ordinal: number): TaskRun | undefined {
  const merge = taskRunOf(execution, ordinal);
  return merge &&
    execution.taskRuns.findLast((other) =>
      other.parent === merge.parent && other.ordinal < ordinal && childNumbersOf(other) !== undefined
    );
}
