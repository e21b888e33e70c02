/** How attempts end, and what they change beside their own task run. */
import type { JsonObject } from "../../base/json.ts";
import type { Label } from "../flows/label.ts";
import type { PendingFiles } from "./pending_files.ts";
import type { State } from "./state.ts";

/** What an attempt changes in its execution beside its own task run. */
export interface ExecutionEffects {
  /** Merged into the labels: the same key is replaced. */
  readonly labels?: readonly Label[];
  /** Replaces the variables that tasks have set. */
  readonly variables?: JsonObject;
  /** Ends the execution in that state once this task run has ended. */
  readonly exit?: Extract<State, "SUCCESS" | "WARNING" | "FAILED" | "KILLED" | "CANCELLED">;
}

/** How an attempt of a runnable task ended. A thrown error ends it FAILED with the error's message in its log. */
export interface AttemptOutcome {
  readonly state: Extract<State, "SUCCESS" | "WARNING" | "FAILED" | "KILLED" | "CANCELLED">;
  readonly outputs?: JsonObject;
  readonly effects?: ExecutionEffects;
  /** The files that the attempt has written or deleted. Set by the runtime, never by a task. */
  readonly files?: PendingFiles;
}
