/** The interface of flowable tasks: each declares its children and its end. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Task } from "../../model/flows/flow.ts";
import type { State } from "../../model/executions/state.ts";
import type { Branches, TaskPlace } from "../branches.ts";

/** The decision at the start of a flowable task; stored with its task run, so that it is made once. */
export interface Beginning {
  readonly decision?: JsonObject;
  readonly outputs?: JsonObject;
  /** It ends FAILED with this message, and with the outputs. */
  readonly failure?: string;
  /** It pauses, at most until `dueAt`. */
  readonly pause?: { readonly dueAt?: Instant };
}

/** The decision after a pass of a loop. */
export type Repetition =
  | { readonly type: "end"; readonly outputs: JsonObject; readonly state: State; readonly message?: string }
  | {
    readonly type: "again";
    readonly decision: JsonObject;
    readonly outputs: JsonObject;
    readonly at: Instant;
  };

/** The effect of the end of a pause's time. */
export type Expiry = "RESUME" | "WARN" | "FAIL" | "CANCEL";

/** A task type that arranges other tasks. */
export interface Flowable {
  /** Canonical name of the type. */
  readonly kind: string;
  /** Properties that are rendered before it begins. */
  readonly renders?: readonly string[];
  /** Decides from the rendered properties. @throws Error the task ends FAILED with the message */
  begin?(properties: JsonObject, now: Instant, place: TaskPlace): Beginning;
  /** Its children; `undefined` before they begin. */
  branches?(place: TaskPlace, decision: JsonObject): Branches | undefined;
  /** For loops: the properties rendered after each pass, and the decision. */
  readonly repeat?: {
    readonly renders: readonly string[];
    /** A pass with a failure is decided, too; else the failure ends the task. */
    readonly followsFailure?: boolean;
    decide(properties: JsonObject, decision: JsonObject, now: Instant): Repetition;
  };
  /** For pauses: the effect of the end of the time. */
  expiry?(decision: JsonObject): Expiry;
  /** A decided end does not come from its children: it stays when some of them run again. */
  readonly hasOwnEnd?: boolean;
  /** Its state, from the worst state of its children. */
  outcome?(state: State): State;
  /** Tasks that it creates itself, instead of nested tasks of the flow. */
  parts?(task: Task): readonly Task[];
  /** It starts other executions and ends with them. */
  readonly startsExecutions?: boolean;
  /**
   * The executions that a restart runs again instead of starting others, from the former decision: the id of one, or the
   * counts of several.
   */
  restarts?(task: Task, decision: JsonObject, executionId: string): string | JsonObject | undefined;
}
