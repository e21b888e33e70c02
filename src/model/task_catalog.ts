/** What a task type is. The types themselves are in `tasks/`; they are handed in as a {@link TaskCatalog}. */
import type { JsonObject } from "../base/json.ts";
import type { Label } from "./label.ts";
import type { RunContext } from "./run_context.ts";
import type { PropertySchemas } from "./schema.ts";
import type { State } from "./state.ts";
import type { TypeDeclaration } from "./type_declaration.ts";

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
  readonly state: Extract<State, "SUCCESS" | "WARNING" | "FAILED" | "KILLED">;
  readonly outputs?: JsonObject;
  readonly effects?: ExecutionEffects;
}

/** A task type that does work. */
export interface RunnableTaskType extends TypeDeclaration {
  readonly form: "runnable";
  /**
   * Pure: has no effect outside its outcome and log lines, answers in the same turn, and may be repeated.
   * Consecutive pure tasks are committed as one slice; any other task is committed RUNNING before it starts.
   */
  readonly pure: boolean;
  /** Runs one attempt with rendered properties. */
  run(properties: JsonObject, context: RunContext): AttemptOutcome | Promise<AttemptOutcome>;
}

/** A task type that waits for a time: it holds no worker, and survives a crash as a timer. */
export interface WaitingTaskType extends TypeDeclaration {
  readonly form: "waiting";
  /** Milliseconds to wait, from the rendered properties. @throws Error ends the attempt FAILED */
  delayMs(properties: JsonObject): number;
}

/** A task type that arranges other tasks. What it does is `engine/flowable/`; here is only how it is declared. */
export interface FlowableTaskType extends TypeDeclaration {
  readonly form: "flowable";
}

/** A task type that can be declared and is not carried out yet: a flow with it is refused when it is saved. */
export interface PlannedTaskType extends TypeDeclaration {
  readonly form: "planned";
}

/** One of the kinds of task types. */
export type TaskType = RunnableTaskType | WaitingTaskType | FlowableTaskType | PlannedTaskType;

/** All task types by canonical name and by alias. */
export interface TaskCatalog {
  /** By canonical name or alias, both without prefix. */
  find(kind: string): TaskType | undefined;
  /** In alphabetical order of the canonical names. */
  list(): readonly TaskType[];
}

/** Properties that hold nested tasks, by name. */
export function nestedTaskProperties({ properties }: { readonly properties: PropertySchemas }): string[] {
  return Object.keys(properties).filter((name) => NESTING.has(properties[name]?.type ?? "any"));
}

const NESTING: ReadonlySet<string> = new Set(["task", "tasks", "dagTasks", "cases"]);
