/** State changes of executions that triggers react to. */
import type { Instant } from "../../base/time/clock.ts";
import type { TenantId, TriggerKey } from "../flows/flow.ts";
import type { State } from "../executions/state.ts";

/** A state reached by an execution. */
interface ReachedState {
  readonly tenant: TenantId;
  readonly executionId: string;
  /** Index of the state in the history of the execution. */
  readonly index: number;
  readonly state: State;
  readonly at: Instant;
}

/** A state reached by an execution, for one trigger. */
export interface Announcement extends ReachedState {
  readonly trigger: TriggerKey;
  /** True if the trigger started the execution (`stopAfter`); false if it reacts to executions of other flows. */
  readonly isOwn: boolean;
}

/** A state for all triggers that listen to the flow of the execution: one commit takes no announcement to each of them. */
export interface WideAnnouncement extends ReachedState {
  /** Of the flow. */
  readonly namespace: string;
  readonly flowId: string;
  /** Name of the last trigger that has its announcement, in the order of names. */
  readonly after?: string;
}

/** What a commit of an execution stores for triggers. */
export type AnyAnnouncement = Announcement | WideAnnouncement;
