/** What is known of a trigger beside its declaration: when it fires next, what it did last, and why it did not. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { FlowKey } from "./flow.ts";
import type { Label } from "./label.ts";

/** Names a trigger within its tenant. */
export interface TriggerKey {
  readonly namespace: string;
  readonly flowId: string;
  readonly triggerId: string;
}

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

/** How an evaluation ended. */
export type EvaluationOutcome = "STARTED" | "FAILED" | "SKIPPED";

/** One evaluation of a trigger. */
export interface Evaluation {
  readonly at: Instant;
  /** The date of a schedule for which it was made. */
  readonly date?: Instant;
  readonly outcome: EvaluationOutcome;
  /** Why it started nothing, or an execution that has failed. */
  readonly reason?: string;
  readonly executionId?: string;
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
  /** The latest first. */
  readonly evaluations: readonly Evaluation[];
}

/** Evaluations that are kept. */
export const MAX_EVALUATIONS = 20;

/** The state with one more evaluation. */
export function withEvaluation(state: TriggerState, evaluation: Evaluation): TriggerState {
  return { ...state, evaluations: [evaluation, ...state.evaluations].slice(0, MAX_EVALUATIONS) };
}

/** As {@link withEvaluation}; a refusal for the same reason as the one before takes its place, so that starts stay in sight. */
export function withRefusal(state: TriggerState, evaluation: Evaluation): TriggerState {
  const [latest, ...earlier] = state.evaluations;
  const isRepeated = latest?.outcome === "SKIPPED" && latest.reason === evaluation.reason;
  return withEvaluation(isRepeated ? { ...state, evaluations: earlier } : state, evaluation);
}

/** The flow that a trigger belongs to. */
export function flowOf({ namespace, flowId }: TriggerKey): FlowKey {
  return { namespace, id: flowId };
}

/** Text by which a trigger is known in memory. */
export function triggerName(tenant: string, { namespace, flowId, triggerId }: TriggerKey): string {
  return `${tenant}/${namespace}/${flowId}/${triggerId}`;
}
