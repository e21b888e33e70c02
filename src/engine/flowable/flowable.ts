/** What a flowable task is to the engine. Each is one file, which only says which children come and what becomes of it. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Task } from "../../model/flows/flow.ts";
import type { State } from "../../model/executions/state.ts";
import type { Branches, TaskPlace } from "../branches.ts";

/** What is decided when a flowable task begins; stored with its task run, so that nothing is decided twice. */
export interface Beginning {
  readonly decision?: JsonObject;
  readonly outputs?: JsonObject;
  /** It ends FAILED with this message. */
  readonly failure?: string;
  /** It waits for a person, or until then. */
  readonly pause?: { readonly dueAt?: Instant };
}

/** What follows a pass of a loop. */
export type Repetition =
  | { readonly type: "end"; readonly outputs: JsonObject; readonly state: State; readonly message?: string }
  | {
    readonly type: "again";
    readonly decision: JsonObject;
    readonly outputs: JsonObject;
    readonly at: Instant;
  };

/** What happens when the time of a pause is over. */
export type Expiry = "RESUME" | "WARN" | "FAIL" | "CANCEL";

/** A task type that arranges other tasks. */
export interface Flowable {
  /** Canonical name of the type. */
  readonly kind: string;
  /** Properties that are rendered before it begins. */
  readonly renders?: readonly string[];
  /** Decides from the rendered properties; without it nothing is decided. @throws Error it ends FAILED with the message */
  begin?(properties: JsonObject, now: Instant, place: TaskPlace): Beginning;
  /** Its children; absent for one that has none of its own, `undefined` before they begin. */
  branches?(place: TaskPlace, decision: JsonObject): Branches | undefined;
  /** For loops: what is rendered after each pass, and what follows from it. */
  readonly repeat?: {
    readonly renders: readonly string[];
    decide(properties: JsonObject, decision: JsonObject, now: Instant): Repetition;
  };
  /** For pauses: what happens when the time is over. */
  expiry?(decision: JsonObject): Expiry;
  /** An end that was decided did not come from its children: it stays when some of them run again. */
  readonly hasOwnEnd?: boolean;
  /** What becomes of it, from what its children became. */
  outcome?(state: State): State;
  /** Tasks that it makes itself, in place of those that a flow nests in it. */
  parts?(task: Task): readonly Task[];
  /** It runs another execution, or several, and ends with them. */
  readonly startsExecutions?: boolean;
  /**
   * What a restart of that execution is to go on with in place of starting others, from what was decided before: the id of
   * the one that was started, or the numbers of several.
   */
  restarts?(task: Task, decision: JsonObject, executionId: string): string | JsonObject | undefined;
}
