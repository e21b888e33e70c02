/** What a task type is. The types themselves are in `tasks/`; they are handed in as a {@link TaskCatalog}. */
import type { JsonObject } from "../base/json.ts";
import type { RunContext } from "./run_context.ts";
import type { PropertySchemas } from "./schema.ts";
import type { State } from "./state.ts";

/** How an attempt of a runnable task ended. A thrown error ends it FAILED with the error's message in its log. */
export interface AttemptOutcome {
  readonly state: Extract<State, "SUCCESS" | "WARNING" | "FAILED" | "KILLED">;
  readonly outputs?: JsonObject;
}

/** A task type that does work. */
export interface RunnableTaskType {
  readonly form: "runnable";
  /** Canonical name, for example `core.log.Log`. */
  readonly type: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly properties: PropertySchemas;
  /**
   * Pure: has no effect outside its outputs and log lines, answers in the same turn, and may be repeated.
   * Consecutive pure tasks are committed as one slice; any other task is committed RUNNING before it starts.
   */
  readonly pure: boolean;
  /** Runs one attempt with rendered properties. */
  run(properties: JsonObject, context: RunContext): AttemptOutcome | Promise<AttemptOutcome>;
}

/** A task type that waits for a time: it holds no worker, and survives a crash as a timer. */
export interface WaitingTaskType {
  readonly form: "waiting";
  readonly type: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly properties: PropertySchemas;
  /** Milliseconds to wait, from the rendered properties. @throws Error ends the attempt FAILED */
  delayMs(properties: JsonObject): number;
}

/** One of the kinds of task types. */
export type TaskType = RunnableTaskType | WaitingTaskType;

/** All task types by canonical name and by alias. */
export interface TaskCatalog {
  /** By canonical name or alias, both without prefix. */
  find(kind: string): TaskType | undefined;
  /** In alphabetical order of the canonical names. */
  list(): readonly TaskType[];
}
