/** Results of the executions started by a ForEachItem or a Loop. */
import type { JsonObject } from "../../base/json.ts";
import type { AttemptIdentity } from "../executions/attempt_identity.ts";
import type { TenantId } from "../flows/flow.ts";
import type { LoopItem } from "../executions/loop_run.ts";

/** An ended pass of a Loop. */
export interface EndedPass {
  readonly item: LoopItem;
  readonly outputs: JsonObject;
}

/** Reads the results as a stream; the adapter must not hold all of them in memory. */
export interface ItemExecutionPort {
  /**
   * For the merge part of a ForEachItem: outputs of each execution in order of the batches, `{}` for none; `undefined` if
   * the task does not wait for the executions.
   */
  outputs(attempt: AttemptIdentity): Promise<AsyncIterable<JsonObject> | undefined>;
  /** Passes of a Loop in the order of `ids`; deleted ones are skipped. */
  passes(tenant: TenantId, ids: readonly string[]): AsyncIterable<EndedPass>;
}
