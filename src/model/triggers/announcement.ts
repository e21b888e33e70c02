/** States of executions that triggers react to. */
import type { Instant } from "../../base/clock.ts";
import type { TenantId, TriggerKey } from "../flows/flow.ts";
import type { State } from "../executions/state.ts";

/** A state that an execution has reached, for one trigger. */
export interface Announcement {
  readonly tenant: TenantId;
  readonly executionId: string;
  /** Number of the state in the execution's history. */
  readonly index: number;
  readonly state: State;
  readonly at: Instant;
  readonly trigger: TriggerKey;
  /** The trigger has started the execution: it may have to stop. Otherwise it listens to executions of other flows. */
  readonly isOwn: boolean;
}
