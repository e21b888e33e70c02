/** What is known of a trigger beside its declaration: when it fires next, what it did last, and why it did not. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Evaluation, Evaluations } from "./evaluations.ts";
import type { FlowKey, TriggerKey } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";

/** Past dates of a schedule that are made up for, one after the other. */
export interface Backfill {
  readonly start: Instant;
  /** Last date to make up for, itself included. */
  readonly end: Instant;
  /** Next date to make up for. */
  readonly currentDate: Instant;
  readonly isPaused: boolean;
  readonly inputs?: JsonObject;
  readonly labels?: readonly Label[];
}

/** State of a trigger, as stored. */
export interface TriggerState extends TriggerKey {
  /** Name in the trigger catalog. */
  readonly kind: string;
  /** What its dates depend on, as text: when it changes, the next date is found anew. */
  readonly timing: string;
  /** Switched off by a person, a task, or an execution that ended so; apart from what its declaration says. */
  readonly disabled: boolean;
  /** Its declaration says that it is off. */
  readonly isDeclaredOff?: boolean;
  readonly updatedAt: Instant;
  /** The last date for which an execution was started; of other triggers, when. */
  readonly date?: Instant;
  /** The next date of its schedule, or of its next poll. */
  readonly nextDate?: Instant;
  /** When it is evaluated next, as the database has it: earlier than `nextDate` during a backfill. */
  readonly dueAt?: Instant;
  /** The last execution that it started, unless it is known to have ended. */
  readonly executionId?: string;
  readonly backfill?: Backfill;
  readonly evaluations: Evaluations;
}

/** The state with one more evaluation. */
export function withEvaluation(state: TriggerState, evaluation: Evaluation): TriggerState {
  return { ...state, evaluations: state.evaluations.with(evaluation) };
}

/** The flow that a trigger belongs to. */
export function flowOf({ namespace, flowId }: TriggerKey): FlowKey {
  return { namespace, id: flowId };
}

/** Text by which a trigger is known in memory. */
export function triggerName(tenant: string, { namespace, flowId, triggerId }: TriggerKey): string {
  return `${tenant}/${namespace}/${flowId}/${triggerId}`;
}
