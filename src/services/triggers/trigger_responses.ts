/** Triggers as the API shows them. */
import { type Instant, toIso } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Evaluation } from "../../model/triggers/evaluations.ts";
import type { Backfill, TriggerState } from "../../model/triggers/trigger_state.ts";
import type { TriggerView } from "./triggers.ts";

/** Names of triggers that look for themselves when to fire. */
const KINDS: ReadonlyMap<unknown, string> = new Map([["schedule", "SCHEDULE"], ["polling", "POLLING"]]);

/** The state of a trigger; each date under its older and its newer name. */
export function stateAnswer({ state, trigger, form, isRunning }: TriggerView): JsonObject {
  const { namespace, flowId, triggerId, date, nextDate, updatedAt, backfill, evaluations } = state;
  const answer: JsonObject = { namespace, flowId, triggerId };
  const kind = KINDS.get(form);
  if (kind !== undefined) answer.kind = kind;
  const isOff = state.disabled || (trigger?.disabled ?? false);
  setDates(answer, ["date", "lastTriggeredDate"], date);
  setDates(answer, ["nextExecutionDate", "nextEvaluationDate"], isOff ? undefined : nextOf(state));
  setDates(answer, ["updatedDate", "updatedAt"], updatedAt);
  setDates(answer, ["evaluateRunningDate", "evaluatedAt"], evaluations.latest?.at);
  answer.disabled = isOff;
  answer.locked = isRunning;
  if (isRunning && state.executionId !== undefined) answer.executionId = state.executionId;
  const stopAfter = trigger?.properties.stopAfter;
  if (stopAfter !== undefined) answer.stopAfter = stopAfter;
  if (backfill) answer.backfill = backfillAnswer(backfill, nextDate);
  answer.evaluations = evaluations.list().map(evaluationAnswer);
  return answer;
}

/** A trigger as lists show it: what its flow declares, and its state, each under both of its names. */
export function listedAnswer(view: TriggerView): JsonObject {
  const state = stateAnswer(view);
  const trigger = view.trigger?.properties ?? { id: view.state.triggerId };
  return { trigger, state, abstractTrigger: trigger, triggerContext: state };
}

function nextOf({ backfill, nextDate }: TriggerState): Instant | undefined {
  return backfill && !backfill.isPaused ? backfill.currentDate : nextDate;
}

function backfillAnswer(backfill: Backfill, previousNext: Instant | undefined): JsonObject {
  const { start, end, currentDate, isPaused, inputs, labels } = backfill;
  const answer: JsonObject = {
    start: toIso(start),
    end: toIso(end),
    currentDate: toIso(currentDate),
    paused: isPaused,
  };
  setDate(answer, "previousNextExecutionDate", previousNext);
  if (inputs) answer.inputs = inputs;
  if (labels) answer.labels = labels.map(({ key, value }) => ({ key, value }));
  return answer;
}

function evaluationAnswer({ at, date, outcome, reason, executionId }: Evaluation): JsonObject {
  const answer: JsonObject = { evaluatedAt: toIso(at), outcome };
  setDate(answer, "date", date);
  if (reason !== undefined) answer.reason = reason;
  if (executionId !== undefined) answer.executionId = executionId;
  return answer;
}

function setDate(answer: JsonObject, name: string, at: Instant | undefined): void {
  if (at !== undefined) answer[name] = toIso(at);
}

function setDates(answer: JsonObject, names: readonly string[], at: Instant | undefined): void {
  for (const name of names) setDate(answer, name, at);
}
