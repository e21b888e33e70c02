/** The stored state of a trigger: next date, last evaluations, backfill. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { bytesAsJson } from "../../base/json_size.ts";
import { type Evaluation, Evaluations } from "./evaluations.ts";
import type { FlowKey, TriggerKey } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";

/** Catches up past dates of a schedule, one at a time. */
export interface Backfill {
  readonly start: Instant;
  /** Inclusive. */
  readonly end: Instant;
  /** Next date. */
  readonly currentDate: Instant;
  readonly isPaused: boolean;
  readonly inputs?: JsonObject;
  readonly labels?: readonly Label[];
}

/** JSON bytes of members of a backfill: they fit into the record of a trigger beside its evaluations. */
const MAX_BACKFILL_BYTES = { inputs: 24 * 1024, labels: 4 * 1024 } as const;

/** The member of a backfill that is too large to be stored, and why. */
export function oversizedMember(
  backfill: Readonly<{ inputs?: unknown; labels?: unknown }>,
): { readonly property: string; readonly message: string } | undefined {
  for (const property of ["inputs", "labels"] as const) {
    const value = backfill[property], max = MAX_BACKFILL_BYTES[property];
    if (value === undefined || bytesAsJson(value) <= max) continue;
    return { property, message: `must have at most ${max} bytes as JSON` };
  }
  return undefined;
}

/** Stored state of a trigger. */
export interface TriggerState extends TriggerKey {
  /** Name in the trigger catalog. */
  readonly kind: string;
  /** Hash of the properties that determine its dates, which may be long; a change recomputes the next date. */
  readonly timing: string;
  /** Disabled by a user, a task or `stopAfter`, independent of the declaration. */
  readonly disabled: boolean;
  /** Disabled in the declaration. */
  readonly isDeclaredOff?: boolean;
  readonly updatedAt: Instant;
  /** Date of the last started execution; for other triggers its start time. */
  readonly date?: Instant;
  /** Next date of the schedule or of the poll. */
  readonly nextDate?: Instant;
  /** Next evaluation as indexed in the database; earlier than `nextDate` during a backfill. */
  readonly dueAt?: Instant;
  /** The last started execution, unless it is known to have ended. */
  readonly executionId?: string;
  readonly backfill?: Backfill;
  /** What a poll of the trigger has set for the next ones. */
  readonly pollState?: JsonObject;
  readonly evaluations: Evaluations;
}

/** The state with an added evaluation. */
export function withEvaluation(state: TriggerState, evaluation: Evaluation): TriggerState {
  return { ...state, evaluations: state.evaluations.with(evaluation) };
}

/**
 * The state after an evaluation that the database refused as too large. Only the failure is left of what may have made the
 * record too large; the next save of the flow counts the dates again.
 */
export function afterUnstorable(state: TriggerState, at: Instant, refusal: string): TriggerState {
  const reason = state.backfill ? `${refusal}. The backfill is given up` : refusal;
  const evaluations = Evaluations.of([{ at, outcome: "FAILED", reason }]);
  return { ...state, evaluations, timing: "", backfill: undefined, updatedAt: at };
}

/** The flow of a trigger. */
export function flowOf({ namespace, flowId }: TriggerKey): FlowKey {
  return { namespace, id: flowId };
}

/** Key of a trigger in memory. */
export function triggerName(tenant: string, { namespace, flowId, triggerId }: TriggerKey): string {
  return `${tenant}/${namespace}/${flowId}/${triggerId}`;
}
