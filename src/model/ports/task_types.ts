/** Task types as a task reaches them that runs another one. */
import type { JsonObject } from "../../base/json.ts";
import type { FileKeeper } from "../executions/attempt_identity.ts";
import type { AttemptOutcome } from "../executions/execution.ts";
import type { TypeDeclaration } from "../flows/type_declaration.ts";

/** A task type that was found. */
export interface FoundTaskType extends TypeDeclaration {
  /** Runs one attempt in place of the task that asks, whose `RunContext` is handed on; absent where the type does no work itself. */
  run?(
    properties: JsonObject,
    context: FileKeeper & { readonly signal: AbortSignal },
  ): AttemptOutcome | Promise<AttemptOutcome>;
}

/** Finds task types. */
export interface TaskTypePort {
  /** By the type as a flow writes it. */
  find(type: string): FoundTaskType | undefined;
}
