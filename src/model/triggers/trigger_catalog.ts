/** What trigger types and condition types are. The types themselves are in `triggers/`. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { FlowKey } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";
import type { State } from "../executions/state.ts";
import type { TaskPorts } from "../ports/task_ports.ts";
import type { TypeDeclaration } from "../flows/type_declaration.ts";

/** The times at which a schedule fires. */
export interface FireTimes {
  /** The first one after an instant. */
  next(after: Instant): Instant | undefined;
  /** The last one before an instant. */
  previous(before: Instant): Instant | undefined;
  /** A time as expressions read it, in the zone of the schedule. */
  text(at: Instant): string;
}

/** A trigger type that fires at times. */
export interface ScheduleTriggerType extends TypeDeclaration {
  readonly form: "schedule";
  /** Its times, from rendered properties; `timeZone` holds unless they name another. @throws Error they mean nothing */
  times(properties: JsonObject, timeZone: string): FireTimes;
}

/** What a poll may use. */
export interface PollContext {
  readonly signal: AbortSignal;
  readonly ports: TaskPorts;
  /** The value of a template, with further root variables. @throws Error what cannot be rendered */
  render(template: string, variables: JsonObject): Promise<JsonValue>;
}

/** What a poll has found. */
export interface PollFinding {
  /** What expressions read as `trigger`. */
  readonly variables: JsonObject;
  /** Names of those that are texts and must not be kept in clear. */
  readonly secrets?: readonly string[];
}

/** A trigger type that looks again and again whether something has happened. */
export interface PollingTriggerType extends TypeDeclaration {
  readonly form: "polling";
  /** Looks once, with rendered properties; what it has found when it fires. @throws Error it cannot tell */
  poll(properties: JsonObject, context: PollContext): Promise<PollFinding | undefined>;
}

/** A trigger type that somebody else fires: an HTTP request, or an execution. `planned`: it starts nothing yet. */
interface FiredTriggerType extends TypeDeclaration {
  readonly form: "webhook" | "flow" | "planned";
}

/** A trigger type. A flow with a `planned` one is refused when it is saved. */
export type TriggerType = ScheduleTriggerType | PollingTriggerType | FiredTriggerType;

/** What conditions know of the execution that a Flow trigger reacts to. */
export interface ObservedExecution extends FlowKey {
  readonly executionId: string;
  readonly state: State;
  readonly labels: readonly Label[];
  /** It is known to have no outputs of its own. */
  readonly isWithoutOutputs?: boolean;
  /** How those attempts of its task runs ended that others followed. */
  readonly retriedStates: readonly State[];
}

/** What a condition may look at. */
export interface ConditionScope {
  /** The time that conditions on a date test unless they name another. */
  readonly date: Instant;
  readonly timeZone: string;
  /** The flow of the trigger. */
  readonly flow: FlowKey;
  /** Absent where no execution is reacted to. */
  readonly execution?: ObservedExecution;
  /** Whether another condition holds. @throws Error it cannot be told */
  holds(condition: JsonValue): Promise<boolean>;
  /** The text of a template. @throws Error what cannot be rendered */
  text(template: string): Promise<string>;
}

/** A part of what several executions must meet. */
export type ConditionPart = (scope: ConditionScope) => boolean | Promise<boolean>;

/** A condition type. */
export interface TestedConditionType extends TypeDeclaration {
  readonly form: "condition";
  /**
   * What no schema can say of its properties as written, when a flow is saved. A mistake at a property that holds an
   * expression does not count: its value is known only when the condition is tested.
   */
  mistakeIn?(properties: JsonObject): { readonly property: string; readonly message: string } | undefined;
  /** False whatever its properties are, which are not rendered then. */
  isFalse?(scope: ConditionScope): boolean;
  /** Whether it holds, from its rendered properties. @throws Error it cannot be told */
  test(properties: JsonObject, scope: ConditionScope): boolean | Promise<boolean>;
}

/** A condition type whose parts are met by several executions; a Flow trigger remembers which were. */
export interface WindowConditionType extends TypeDeclaration {
  readonly form: "window";
  /** What it waits for, from its properties as written. */
  windowOf(properties: JsonObject): ConditionWindow;
}

/** A condition type. A flow with a `planned` one is refused when it is saved. */
export type ConditionType =
  | TestedConditionType
  | WindowConditionType
  | (TypeDeclaration & { readonly form: "planned" });

/** Outputs of several executions: in one map, of equal names the later ones; or those of each under the id of its flow, and there under its namespace, too. */
export type UpstreamOutputs = "merged" | "byFlow";

/** Several conditions that must be met within a time. */
export interface ConditionWindow {
  /** Unique within the trigger. */
  readonly id: string;
  /** Its parts by name. */
  readonly parts: ReadonlyMap<string, ConditionPart>;
  /** How many of them must be met; all without it. */
  readonly needed?: number;
  /** It comes true at most once within its time. */
  readonly isOnce?: boolean;
  /** How the start reads the outputs of all executions that have met its parts; only those of the last one without it. */
  readonly outputs?: UpstreamOutputs;
  readonly resetOnSuccess: boolean;
  /** Since when something must have been met to count at an instant; `undefined` when nothing counts then. */
  readonly from: (at: Instant, timeZone: string) => Instant | undefined;
}

/** States in which an execution counts for an entry of `dependsOn` that names none. */
export const DEPENDENCY_STATES: readonly State[] = ["SUCCESS", "WARNING"];

/** All trigger and condition types, by canonical name and by alias, both without prefix. */
export interface TriggerCatalog {
  /** The trigger type of that name. */
  find(kind: string): TriggerType | undefined;
  /** In alphabetical order of the canonical names. */
  list(): readonly TriggerType[];
  /** The condition type of that name. */
  findCondition(kind: string): ConditionType | undefined;
  /** In alphabetical order of the canonical names. */
  listConditions(): readonly ConditionType[];
  /** What the `preconditions` of a Flow trigger wait for. */
  preconditionsOf(properties: JsonObject): ConditionWindow;
  /** What a Flow trigger waits for that has `dependsOn`, from its properties. @throws Error a member means nothing */
  dependenciesOf(properties: JsonObject): ConditionWindow;
}
