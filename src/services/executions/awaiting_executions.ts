/**
 * Which execution an ended one is kept for. An execution reads the outputs of those that it awaits at the end of its task, or
 * when it is restarted: a Loop, a ForEachItem and a Subflow.
 */
import type { Execution } from "../../model/executions/execution.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { isEnded } from "../../model/executions/state.ts";
import { lastSuccessor } from "../../runtime/children/child_restart.ts";
import type { Executor } from "../../runtime/executor.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";

interface AwaitingExecutionsDeps {
  readonly records: Pick<ExecutionRecords, "facts" | "unfinished">;
  readonly executor: Pick<Executor, "isLive">;
}

/** Ended executions above one that are passed: more than subflows are nested. */
const MAX_ENDED_ABOVE = 1_000;

/** Finds the executions that await others. */
export class AwaitingExecutions {
  readonly #deps: AwaitingExecutionsDeps;

  constructor(deps: AwaitingExecutionsDeps) {
    this.#deps = deps;
  }

  /**
   * The nearest execution under way that awaits an ended one, also by executions in between that have ended. One is kept for
   * itself while its own work or its successor is under way.
   */
  async of(tenant: TenantId, { id, awaitedBy }: Execution): Promise<string | undefined> {
    if (await this.isUnderWay(tenant, id)) return id;
    let above = awaitedBy?.executionId;
    for (let n = 0; n < MAX_ENDED_ABOVE && above !== undefined; n++) {
      if (await this.isUnderWay(tenant, above)) return above;
      above = (await this.#deps.records.facts(tenant, above))?.awaitedBy?.executionId;
    }
    return undefined;
  }

  /** True for an execution that has not ended, waits in `afterExecution`, is in memory, or was retried and has such a successor. */
  async isUnderWay(tenant: TenantId, id: string): Promise<boolean> {
    const { records, executor } = this.#deps;
    if (executor.isLive(tenant, id)) return true;
    const last = await lastSuccessor({ header: (...of) => records.facts(...of) }, tenant, id);
    if (!last) return false;
    return !isEnded(last.history) || executor.isLive(tenant, last.id) ||
      isOpen(await records.unfinished(tenant, last.id));
  }
}

/** True for an execution that has not ended or waits in `afterExecution`, given with the task runs that have not ended. */
export function isOpen(unfinished: Execution | undefined): boolean {
  return unfinished !== undefined && (!isEnded(unfinished.history) || unfinished.taskRuns.length > 0);
}
