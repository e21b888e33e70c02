/** What the executions that a ForEachItem or a Loop has started leave. */
import type { JsonObject } from "../../base/json.ts";
import type { AttemptIdentity } from "../executions/attempt_identity.ts";
import type { TenantId } from "../flows/flow.ts";
import type { LoopItem } from "../executions/loop_run.ts";

/** A pass of a Loop that has ended. */
export interface EndedPass {
  readonly item: LoopItem;
  readonly outputs: JsonObject;
}

/** For what gathers the outputs of many executions. */
export interface ItemExecutionPort {
  /**
   * For the last part of a ForEachItem: outputs of each execution in order of the batches, empty where there are none;
   * `undefined` when their end was not waited for.
   */
  outputs(attempt: AttemptIdentity): Promise<AsyncIterable<JsonObject> | undefined>;
  /** The passes of a Loop, in the order of their ids; those that were deleted are missing. */
  passes(tenant: TenantId, ids: readonly string[]): AsyncIterable<EndedPass>;
}
