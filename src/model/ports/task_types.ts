/** Access to task types, for a task that runs another one. */
import type { JsonObject } from "../../base/json.ts";
import type { FileKeeper } from "../executions/attempt_identity.ts";
import type { AttemptOutcome } from "../executions/execution.ts";
import type { TypeDeclaration } from "../flows/type_declaration.ts";

/** A task type. */
export interface FoundTaskType extends TypeDeclaration {
  /** Runs one attempt with the `RunContext` of the caller; absent if the type is not runnable. */
  run?(
    properties: JsonObject,
    context: FileKeeper & { readonly signal: AbortSignal },
  ): AttemptOutcome | Promise<AttemptOutcome>;
}

/** Finds task types. */
export interface TaskTypePort {
  /** By the type as written in a flow. */
  find(type: string): Promise<FoundTaskType | undefined>;
}
