/** Triggers as JSON of the API. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Evaluation } from "../../model/triggers/evaluations.ts";
import type { Backfill, TriggerState } from "../../model/triggers/trigger_state.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import type { Triggers, TriggerView } from "./triggers.ts";

/** Values of `kind` by form; other forms have none. */
const KINDS: ReadonlyMap<unknown, string> = new Map([["schedule", "SCHEDULE"], ["polling", "POLLING"]]);

/** The state of a trigger; each date under its old and its new name. */
export function stateResponse({ state, trigger, form, isRunning, evaluatingSince }: TriggerView): JsonObject {
  const { namespace, flowId, triggerId, date, nextDate, updatedAt, backfill, evaluations } = state;
  const response: JsonObject = { namespace, flowId, triggerId };
  const kind = KINDS.get(form);
  if (kind !== undefined) response.kind = kind;
  const isOff = state.disabled || (trigger?.disabled ?? false);
  setDates(response, ["date", "lastTriggeredDate"], date);
  setDates(
    response,
    ["nextExecutionDate", "nextEvaluationDate"],
    isOff || form === "realtime" ? undefined : nextOf(state),
  );
  setDates(response, ["updatedDate", "updatedAt"], updatedAt);
  setDate(response, "evaluateRunningDate", evaluatingSince);
  setDate(response, "evaluatedAt", evaluations.latest?.at);
  response.disabled = isOff;
  response.locked = isRunning;
  if (isRunning && state.executionId !== undefined) response.executionId = state.executionId;
  const stopAfter = trigger?.properties.stopAfter;
  if (stopAfter !== undefined) response.stopAfter = stopAfter;
  if (backfill) response.backfill = backfillResponse(backfill, nextDate);
  response.evaluations = evaluations.list().map(evaluationResponse);
  return response;
}

/** The states of the triggers of a flow, by id. */
export async function stateResponsesOf(
  triggers: Pick<Triggers, "ofFlow" | "views">,
  actor: Actor,
  flow: FlowKey,
): Promise<ReadonlyMap<string, JsonObject>> {
  const views = await triggers.views(actor, await triggers.ofFlow(actor, flow));
  return new Map(views.map((view) => [view.state.triggerId, stateResponse(view)]));
}

/** A trigger as in lists: its declaration and its state, each under its old and its new name. */
export function listedResponse(view: TriggerView): JsonObject {
  const state = stateResponse(view);
  const trigger = view.trigger?.properties ?? { id: view.state.triggerId };
  return { trigger, state, abstractTrigger: trigger, triggerContext: state };
}

function nextOf({ backfill, nextDate }: TriggerState): Instant | undefined {
  return backfill && !backfill.isPaused ? backfill.currentDate : nextDate;
}

function backfillResponse(backfill: Backfill, previousNext: Instant | undefined): JsonObject {
  const { start, end, currentDate, isPaused, inputs, labels } = backfill;
  const response: JsonObject = {
    start: toIso(start),
    end: toIso(end),
    currentDate: toIso(currentDate),
    paused: isPaused,
  };
  setDate(response, "previousNextExecutionDate", previousNext);
  if (inputs) response.inputs = inputs;
  if (labels) response.labels = labels.map(({ key, value }) => ({ key, value }));
  return response;
}

function evaluationResponse({ at, date, outcome, reason, executionId }: Evaluation): JsonObject {
  const response: JsonObject = { evaluatedAt: toIso(at), outcome };
  setDate(response, "date", date);
  if (reason !== undefined) response.reason = reason;
  if (executionId !== undefined) response.executionId = executionId;
  return response;
}

function setDate(response: JsonObject, name: string, at: Instant | undefined): void {
  if (at !== undefined) response[name] = toIso(at);
}

function setDates(response: JsonObject, names: readonly string[], at: Instant | undefined): void {
  for (const name of names) setDate(response, name, at);
}
