/** Reads many executions, some of them at the same time. */
import type { TenantId } from "../../../model/flows/flow.ts";
import type { ExecutionRecords, OpenedExecution } from "./execution_records.ts";

/** One after the other they take twice the time. */
const OPENED_AT_ONCE = 16;

/** Those of these executions that exist, in the same order. */
export async function* openEach(
  records: Pick<ExecutionRecords, "open">,
  tenant: TenantId,
  ids: readonly string[],
): AsyncGenerator<OpenedExecution> {
  for (let start = 0; start < ids.length; start += OPENED_AT_ONCE) {
    const some = ids.slice(start, start + OPENED_AT_ONCE);
    const opened = await Promise.all(some.map((id) => records.open(tenant, id)));
    yield* opened.filter((each) => each !== undefined);
  }
}
