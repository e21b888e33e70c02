/** Kinds of task types. The types are in `tasks/` and passed in as a {@link TaskCatalog}. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AttemptOutcome } from "../executions/execution.ts";
import type { Metric } from "../executions/metric.ts";
import type { ScriptPlaces } from "../ports/processes.ts";
import type { RunContext } from "../ports/run_context.ts";
import type { PropertySchemas } from "../flows/schema.ts";
import type { TypeDeclaration } from "../flows/type_declaration.ts";

export type { AttemptOutcome, ExecutionEffects } from "../executions/execution.ts";

/** A stored successful attempt. */
interface StoredAttempt {
  /** Unrendered properties. */
  readonly written: JsonObject;
  readonly outputs: JsonObject;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
}

/** A problem of a task; an error prevents saving. */
export interface TaskProblem {
  /** Within the task. */
  readonly path: readonly string[];
  readonly message: string;
  readonly severity: "error" | "warning";
}

/** A task runner: where the commands of script tasks run. */
export interface TaskRunnerType extends TypeDeclaration {
  readonly form: "runner";
}

/** A type of objects within the properties of tasks, such as the provider of a language model. It is configuration only. */
export interface PartType extends TypeDeclaration {
  /** A planned one is known without implementation: it is refused with its `refusal`. */
  readonly form: "part" | "planned";
  /** Parts of one family are alternatives, such as `ai.provider`. */
  readonly family: string;
}

/** A task type that does work itself. */
export interface RunnableTaskType extends TypeDeclaration {
  readonly form: "runnable";
  /**
   * Pure: no effect beyond its outcome and log lines, synchronous, repeatable. Consecutive pure tasks are committed as one
   * slice; any other task is committed RUNNING before it starts.
   */
  readonly pure: boolean;
  /** Whether it may run in another process: it uses requests, processes, files of executions and namespaces, and nothing else. */
  readonly runsOnWorkers?: boolean;
  /** Problems of a task as it is written that schemas cannot express; called when they hold. `places`: where scripts may run. */
  check?(task: JsonObject, places: ScriptPlaces | undefined): readonly TaskProblem[];
  /** Runs one attempt with rendered properties. */
  run(properties: JsonObject, context: RunContext): AttemptOutcome | Promise<AttemptOutcome>;
  /** Metrics derived from the stored attempt, so that they are not stored themselves. */
  metricsOf?(attempt: StoredAttempt): readonly Metric[];
}

/** A task type that waits: a stored timer, without a worker, which survives a crash. */
export interface WaitingTaskType extends TypeDeclaration {
  readonly form: "waiting";
  /** Milliseconds to wait, from the rendered properties. @throws Error ends the attempt FAILED */
  delayMs(properties: JsonObject): number;
}

/** Work of a flowable task itself, with rendered properties. A thrown error ends it FAILED and logs the message. */
export interface FlowableHooks {
  /** Before the first child starts; returns what `after` is given. */
  before(properties: JsonObject, context: RunContext): Promise<string | undefined>;
  /** After its children have ended, unless they were stopped; returns its outputs. */
  after(properties: JsonObject, context: RunContext, before: string | undefined): Promise<JsonObject>;
  /** After its end in any state. May be called again. */
  release(context: RunContext): Promise<void>;
}

/** Declaration of a task type that arranges other tasks; its behaviour is in `engine/flowable/`. */
export interface FlowableTaskType extends TypeDeclaration {
  readonly form: "flowable";
  /** Work before and after its children. After a crash the hooks and the children run again. */
  readonly hooks?: FlowableHooks;
}

/** A known task type without implementation: saving a flow with it is refused, with its `refusal`. */
export interface PlannedTaskType extends TypeDeclaration {
  readonly form: "planned";
}

/** Any task type. */
export type TaskType = RunnableTaskType | WaitingTaskType | FlowableTaskType | PlannedTaskType;

/** Types of one kind by name. */
export interface TypeList<T> {
  /** By canonical name or alias, both without prefix. */
  find(kind: string): T | undefined;
  /** Sorted by canonical name. */
  list(): readonly T[];
}

/** All task types by canonical name and by alias. */
export interface TaskCatalog extends TypeList<TaskType> {
  /** The task runners. */
  readonly runners: TypeList<TaskRunnerType>;
  /** The parts of all families. */
  readonly parts: TypeList<PartType>;
  /**
   * Loads the types of tasks, triggers and parts that a text names: those of integrations are not found before. `undefined` if
   * all of them are loaded.
   */
  load(text: string): Promise<void> | undefined;
  /** Loads all types; `undefined` if they are loaded. */
  loadAll(): Promise<void> | undefined;
}

/** Names of properties with nested tasks. */
export function nestedTaskProperties({ properties }: { readonly properties: PropertySchemas }): string[] {
  return Object.keys(properties).filter((name) => NESTING.has(properties[name]?.type ?? "any"));
}

const NESTING: ReadonlySet<string> = new Set(["task", "tasks", "dagTasks", "cases"]);

/** Members of tasks of all types; `flow/schema/flow_schema.ts` describes them. */
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
