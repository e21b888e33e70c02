/** Relations between executions: one started, triggered or replayed the other, over any number of steps. */
import type { Execution } from "../../model/executions/execution.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";

/** Ancestors that are read at most: a chain of subflows is short, a chain of triggers may be endless. */
const MAX_ANCESTORS = 50;

/** Finds ancestors of executions. */
export class ExecutionLineage {
  readonly #records: Pick<ExecutionRecords, "header">;

  constructor(records: Pick<ExecutionRecords, "header">) {
    this.#records = records;
  }

  /** True if the two are the same, or one is an ancestor of the other. */
  async areRelated(tenant: TenantId, id: string, otherId: string): Promise<boolean> {
    return id === otherId || await this.#isAncestor(tenant, otherId, id) ||
      await this.#isAncestor(tenant, id, otherId);
  }

  async #isAncestor(tenant: TenantId, ancestorId: string, id: string): Promise<boolean> {
    const seen = new Set([id]);
    // Iteration over a set includes values added meanwhile.
    for (const each of seen) {
      if (each === ancestorId) return true;
      if (seen.size > MAX_ANCESTORS) return false;
      const execution = await this.#records.header(tenant, each);
      for (const before of execution ? predecessorsOf(execution) : []) seen.add(before);
    }
    return false;
  }
}

function predecessorsOf({ parentId, originalId, trigger }: Execution): string[] {
  const triggeredBy = trigger && Object.hasOwn(trigger.variables, "executionId")
    ? trigger.variables.executionId
    : undefined;
  return [parentId, originalId, triggeredBy].filter((id) => typeof id === "string");
}
