/** State changes of executions that triggers react to. */
import type { Instant } from "../../base/time/clock.ts";
import type { TenantId, TriggerKey } from "../flows/flow.ts";
import type { State } from "../executions/state.ts";

/** A state reached by an execution, for one trigger. */
export interface Announcement {
  readonly tenant: TenantId;
  readonly executionId: string;
  /** Index of the state in the history of the execution. */
  readonly index: number;
  readonly state: State;
  readonly at: Instant;
  readonly trigger: TriggerKey;
  /** True if the trigger started the execution (`stopAfter`); false if it reacts to executions of other flows. */
  readonly isOwn: boolean;
}
