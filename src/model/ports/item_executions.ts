/** What the executions that a ForEachItem has started leave. */
import type { JsonObject } from "../../base/json.ts";
import type { AttemptIdentity } from "../attempt_identity.ts";

/** For the last part of a ForEachItem, which asks for the executions of the part before it. */
export interface ItemExecutionPort {
  /** Outputs of each execution in order of the batches, empty where there are none; `undefined` when their end was not waited for. */
  outputs(attempt: AttemptIdentity): Promise<AsyncIterable<JsonObject> | undefined>;
}
