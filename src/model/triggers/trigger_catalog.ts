/** Kinds of trigger types and condition types. The types are in `triggers/`. */
import type { Budget } from "../../languages/regex/mod.ts";
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { FlowKey, TriggerKey } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";
import type { FileKeeper } from "../executions/attempt_identity.ts";
import type { State } from "../executions/state.ts";
import type { LogLevel } from "../flows/flow.ts";
import type { TaskPorts } from "../ports/task_ports.ts";
import type { TypeDeclaration } from "../flows/type_declaration.ts";
import type { TriggerMessage } from "./trigger_definition.ts";

/** Fire times of a schedule. */
export interface FireTimes {
  /** The first time after an instant. */
  next(after: Instant): Instant | undefined;
  /** The last time before an instant. */
  previous(before: Instant): Instant | undefined;
  /** A time as text for expressions, in whole seconds and the time zone of the schedule. */
  text(at: Instant): string;
}

/** A trigger type that fires at computed times. */
export interface ScheduleTriggerType extends TypeDeclaration {
  readonly form: "schedule";
  /** Its times, from rendered properties; `timeZone` is the default time zone. @throws Error invalid properties */
  times(properties: JsonObject, timeZone: string): FireTimes;
}

/** Passed to each poll. */
export interface PollContext {
  readonly signal: AbortSignal;
  readonly ports: TaskPorts;
  /** The execution that the poll may start. Files that are stored for it are discarded if it does not start. */
  readonly keeper: FileKeeper;
  /** What an earlier poll of the trigger has set last. */
  readonly state: JsonObject | undefined;
  /** Replaces the state; durable together with the evaluation, unless the poll fails. @throws Error it is too large */
  setState(state: JsonObject): void;
  /** Registers what is done once the evaluation is durable, unless the poll fails. */
  whenDurable(confirm: () => Promise<void>): void;
  /** Registers what is done last, whatever became of the poll. */
  whenOver(close: () => Promise<void>): void;
  /** Adds a line to the log of the execution that the poll starts. */
  log(level: LogLevel, message: string): void;
  /** Masks the text in messages of the poll from now on. */
  hide(secret: string): void;
  /** Renders a template with further root variables. @throws Error rendering failed */
  render(template: string, variables: JsonObject): Promise<JsonValue>;
}

/** Result of a poll that fires. */
export interface PollFinding {
  /** The variables under `trigger`. */
  readonly variables: JsonObject;
  /** Names of text variables that must be encrypted. */
  readonly secrets?: readonly string[];
}

/** A trigger type that polls. */
export interface PollingTriggerType extends TypeDeclaration {
  readonly form: "polling";
  /** Polls once, with rendered properties; `undefined` if it does not fire. @throws Error the poll failed */
  poll(properties: JsonObject, context: PollContext): Promise<PollFinding | undefined>;
}

/** Passed to each connection of a realtime trigger. */
export interface ListenContext {
  readonly tenant: string;
  readonly trigger: TriggerKey;
  /** Aborted when the connection must end. */
  readonly signal: AbortSignal;
  readonly ports: TaskPorts;
  /** The connection works. */
  connected(): void;
  /** Adds a line to the log of the execution that is started next. */
  log(level: LogLevel, message: string): void;
  /** Starts an execution; resolves once that, or its refusal, is durable. @throws Error it must be delivered again */
  emit(message: TriggerMessage): Promise<void>;
}

/** A trigger type that holds a connection. */
export interface RealtimeTriggerType extends TypeDeclaration {
  readonly form: "realtime";
  /** Receives messages, with rendered properties, until the signal is aborted. @throws Error the connection failed */
  listen(properties: JsonObject, context: ListenContext): Promise<void>;
}

/** A trigger type fired by an HTTP request or by an execution. `planned`: not implemented. */
interface FiredTriggerType extends TypeDeclaration {
  readonly form: "webhook" | "flow" | "planned";
}

/** A trigger type. Saving a flow with a `planned` one is refused. */
export type TriggerType = ScheduleTriggerType | PollingTriggerType | RealtimeTriggerType | FiredTriggerType;

/** The execution that a Flow trigger reacts to, as conditions read it. */
export interface ObservedExecution extends FlowKey {
  readonly executionId: string;
  readonly state: State;
  readonly labels: readonly Label[];
  /** True if it certainly has no outputs. */
  readonly isWithoutOutputs?: boolean;
  /** End states of attempts that were retried. */
  readonly retriedStates: readonly State[];
}

/** Inputs of a condition. */
export interface ConditionScope {
  /** What regular expressions may take, all conditions and filters of the trigger together. */
  readonly patternBudget: Budget;
  /** Default date for conditions on dates. */
  readonly date: Instant;
  readonly timeZone: string;
  /** The flow of the trigger. */
  readonly flow: FlowKey;
  /** Absent if the trigger does not react to an execution. */
  readonly execution?: ObservedExecution;
  /** Evaluates another condition. @throws Error evaluation failed */
  holds(condition: JsonValue): Promise<boolean>;
  /** Renders a template as text. @throws Error rendering failed */
  text(template: string): Promise<string>;
}

/** One part of a window condition. */
export type ConditionPart = (scope: ConditionScope) => boolean | Promise<boolean>;

/** A condition type that is evaluated at once. */
export interface TestedConditionType extends TypeDeclaration {
  readonly form: "condition";
  /**
   * What no schema can say of its properties as written, when a flow is saved. A mistake at a property that holds an
   * expression does not count: its value is known only when the condition is tested.
   */
  mistakeIn?(properties: JsonObject): { readonly property: string; readonly message: string } | undefined;
  /** True if the condition is false for all properties, so that they need not be rendered. @throws Error evaluation failed */
  isFalse?(scope: ConditionScope): boolean;
  /** Evaluates the condition with rendered properties. @throws Error evaluation failed */
  test(properties: JsonObject, scope: ConditionScope): boolean | Promise<boolean>;
}

/** A condition type met by several executions together; the Flow trigger stores which parts are met. */
export interface WindowConditionType extends TypeDeclaration {
  readonly form: "window";
  /** The window, from unrendered properties. */
  windowOf(properties: JsonObject): ConditionWindow;
}

/** Any condition type. Saving a flow with a `planned` one is refused. */
export type ConditionType =
  | TestedConditionType
  | WindowConditionType
  | (TypeDeclaration & { readonly form: "planned" });

/** Outputs of several executions: merged into one map (later ones win), or by flow id and by namespace and flow id. */
export type UpstreamOutputs = "merged" | "byFlow";

/** Several parts that must be met within a time. */
export interface ConditionWindow {
  /** Unique within the trigger. */
  readonly id: string;
  /** Parts by name. */
  readonly parts: ReadonlyMap<string, ConditionPart>;
  /** Number of parts that must be met; default all. */
  readonly needed?: number;
  /** Fires at most once per window. */
  readonly isOnce?: boolean;
  /** How the outputs of all contributing executions are provided; without it only those of the last one. */
  readonly outputs?: UpstreamOutputs;
  readonly resetOnSuccess: boolean;
  /** Start of the window at an instant; `undefined` if no window is open. */
  readonly from: (at: Instant, timeZone: string) => Instant | undefined;
}

/** Default states of an entry of `dependsOn`. */
export const DEPENDENCY_STATES: readonly State[] = ["SUCCESS", "WARNING"];

/** All trigger and condition types, by canonical name and by alias, both without prefix. */
export interface TriggerCatalog {
  /** By canonical name or alias. */
  find(kind: string): TriggerType | undefined;
  /** Sorted by canonical name. */
  list(): readonly TriggerType[];
  /** By canonical name or alias. */
  findCondition(kind: string): ConditionType | undefined;
  /** Sorted by canonical name. */
  listConditions(): readonly ConditionType[];
  /** The window of the `preconditions` of a Flow trigger, with the states that count where an entry names none. */
  preconditionsOf(properties: JsonObject, states: ReadonlySet<string>): ConditionWindow;
  /** The window of the `dependsOn` of a Flow trigger. @throws Error invalid properties */
  dependenciesOf(properties: JsonObject): ConditionWindow;
}

/** Members of triggers of all types; `flow/schema/flow_schema.ts` describes them. */
export const TRIGGER_MEMBERS = [
  "id",
  "type",
  "version",
  "description",
  "disabled",
  "conditions",
  "when",
  "inputs",
  "labels",
  "stopAfter",
  "logLevel",
  "logToFile",
  "failOnTriggerError",
  "allowConcurrent",
  "workerGroup",
  "workerSelector",
  "assets",
] as const;

/** One of {@link TRIGGER_MEMBERS}. */
export type TriggerMember = typeof TRIGGER_MEMBERS[number];
