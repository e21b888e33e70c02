/** What a task type is. The types themselves are in `tasks/`; they are handed in as a {@link TaskCatalog}. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AttemptOutcome } from "../executions/execution.ts";
import type { Metric } from "../executions/metric.ts";
import type { RunContext } from "../ports/run_context.ts";
import type { PropertySchemas } from "../flows/schema.ts";
import type { TypeDeclaration } from "../flows/type_declaration.ts";

export type { AttemptOutcome, ExecutionEffects } from "../executions/execution.ts";

/** A successful attempt as it is stored. */
interface StoredAttempt {
  /** Properties as the flow gives them, not rendered. */
  readonly written: JsonObject;
  readonly outputs: JsonObject;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
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
  /** Metrics that follow from what is stored of an attempt anyway: nothing is written for them. */
  metricsOf?(attempt: StoredAttempt): readonly Metric[];
}

/** A task type that waits for a time: it holds no worker, and survives a crash as a timer. */
export interface WaitingTaskType extends TypeDeclaration {
  readonly form: "waiting";
  /** Milliseconds to wait, from the rendered properties. @throws Error ends the attempt FAILED */
  delayMs(properties: JsonObject): number;
}

/** What a flowable task does itself, with rendered properties. A thrown error ends it FAILED with the error's message. */
export interface FlowableHooks {
  /** Before its first child begins. */
  before(properties: JsonObject, context: RunContext): Promise<void>;
  /** When its children have ended well; gives its outputs. */
  after(properties: JsonObject, context: RunContext): Promise<JsonObject>;
  /** Once it has ended, however. May be called again. */
  release(context: RunContext): Promise<void>;
}

/** A task type that arranges other tasks. What it does is `engine/flowable/`; here is only how it is declared. */
export interface FlowableTaskType extends TypeDeclaration {
  readonly form: "flowable";
  /** What is done on this machine around its children; absent where nothing is. A crash repeats both, with the children. */
  readonly hooks?: FlowableHooks;
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

/** Members of every task, whatever its type; `flow/schema/flow_schema.ts` describes them. */
export const TASK_MEMBERS = [
  "id",
  "type",
  "version",
  "description",
  "disabled",
  "runIf",
  "retry",
  "timeout",
  "allowFailure",
  "allowWarning",
  "logLevel",
  "logToFile",
  "taskCache",
  "workerGroup",
  "workerSelector",
  "assets",
] as const;

/** One of {@link TASK_MEMBERS}. */
export type TaskMember = typeof TASK_MEMBERS[number];
