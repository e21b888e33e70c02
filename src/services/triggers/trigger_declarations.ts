/** What the triggers that a flow declares mean for their states: which are new, changed or gone, and when each fires next. */
import type { Clock, Instant } from "../../base/clock.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  stringifyJson,
} from "../../base/json.ts";
import { isFlagSet } from "../../base/truthy_text.ts";
import { dueOf } from "../../engine/schedule.ts";
import { Evaluations } from "../../model/triggers/evaluations.ts";
import type { Flow, Trigger } from "../../model/flows/flow.ts";
import { parseInstant } from "../../base/iso_8601.ts";
import { readLabels } from "../../model/flows/label.ts";
import type { FireTimes, TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import { type Backfill, type TriggerState, withEvaluation } from "../../model/triggers/trigger_state.ts";
import { pollIntervalMs } from "./polls.ts";

/** What is needed to tell. */
interface TriggerDeclarationsDeps {
  readonly clock: Clock;
  readonly catalog: TriggerCatalog;
  /** The times of a schedule. @throws Error they mean nothing */
  readonly timesOf: (flow: Flow, trigger: Trigger) => Promise<FireTimes>;
}

/** Properties that the dates of a trigger depend on. */
const TIMING = ["type", "cron", "withSeconds", "timezone", "dates", "interval"];

/** Finds the states that belong to declarations. Stores nothing. */
export class TriggerDeclarations {
  readonly #deps: TriggerDeclarationsDeps;

  constructor(deps: TriggerDeclarationsDeps) {
    this.#deps = deps;
  }

  /** The state of a declared trigger, given the one it had; its next date stays when nothing that matters has changed. */
  async stateOf(flow: Flow, trigger: Trigger, previous?: TriggerState): Promise<TriggerState> {
    const now = this.#deps.clock.now();
    const timing = timingOf(trigger);
    const isSame = previous?.kind === trigger.kind && previous.timing === timing;
    const base: TriggerState = {
      disabled: previous?.disabled ?? false,
      isDeclaredOff: trigger.disabled || undefined,
      date: previous?.date,
      executionId: previous?.executionId,
      evaluations: previous?.evaluations ?? Evaluations.none,
      backfill: isSame ? previous.backfill : undefined,
      namespace: flow.namespace,
      flowId: flow.id,
      triggerId: trigger.id,
      kind: trigger.kind,
      timing,
      updatedAt: now,
    };
    if (!this.#isOn(flow, trigger, base)) return { ...base, backfill: undefined };
    // What an expression gives may be another date since.
    const isOpen = timing.includes("{{") && (previous?.nextDate ?? 0) > now;
    if (isSame && previous.dueAt !== undefined && !isOpen) {
      return { ...base, nextDate: previous.nextDate, dueAt: previous.dueAt };
    }
    return await this.withDates(
      flow,
      trigger,
      previous ? base : { ...base, backfill: await this.#declaredBackfill(flow, trigger) },
    );
  }

  /** The state with its next date counted from now. */
  async withDates(flow: Flow, trigger: Trigger, state: TriggerState): Promise<TriggerState> {
    const now = this.#deps.clock.now();
    if (!this.#isOn(flow, trigger, state)) return { ...state, nextDate: undefined, dueAt: undefined };
    try {
      const nextDate = await this.#nextDate(flow, trigger, now);
      const dated = { ...state, nextDate };
      return { ...dated, dueAt: dueOf(dated, now) };
    } catch (error) {
      const evaluation = { at: now, outcome: "SKIPPED", reason: (error as Error).message } as const;
      return { ...withEvaluation(state, evaluation), nextDate: undefined, dueAt: undefined };
    }
  }

  #isOn(flow: Flow, trigger: Trigger, state: TriggerState): boolean {
    return !flow.disabled && !flow.deleted && !trigger.disabled && !state.disabled;
  }

  async #nextDate(flow: Flow, trigger: Trigger, now: Instant): Promise<Instant | undefined> {
    switch (this.#deps.catalog.find(trigger.kind)?.form) {
      case "schedule":
        return (await this.#deps.timesOf(flow, trigger)).next(now);
      case "polling":
        return now + Math.min(pollIntervalMs(trigger), FIRST_POLL_MS);
      default:
        return undefined;
    }
  }

  /** A new schedule may ask for past dates to be made up for. */
  async #declaredBackfill(flow: Flow, trigger: Trigger): Promise<Backfill | undefined> {
    const declared = ownProperty(trigger.properties, "backfill");
    if (!isJsonObject(declared)) return undefined;
    const start = parseInstant(String(ownProperty(declared, "start") ?? ""));
    const end = parseInstant(String(ownProperty(declared, "end") ?? "")) ?? this.#deps.clock.now();
    const [times] = await Promise.allSettled([this.#deps.timesOf(flow, trigger)]);
    // Why there are no times is told where the next date is looked for.
    if (start === undefined || times.status === "rejected") return undefined;
    const from = parseInstant(String(ownProperty(declared, "currentDate") ?? ""));
    const isPaused = isFlagSet(ownProperty(declared, "paused"));
    const { inputs, labels } = declared;
    const request = { start, end, from, isPaused, inputs, labels };
    return backfillOf(times.value, request);
  }
}

/** A trigger that was just declared looks soon. */
const FIRST_POLL_MS = 1_000;

/** A backfill from a request or a declaration; `undefined` when no date lies within it. */
export function backfillOf(
  times: FireTimes,
  request: {
    readonly start: Instant;
    readonly end: Instant;
    /** Where it goes on; at its start without it. */
    readonly from?: Instant;
    readonly isPaused?: boolean;
    readonly inputs?: JsonValue;
    readonly labels?: JsonValue;
  },
): Backfill | undefined {
  const { start, end, from = start, isPaused = false, inputs, labels } = request;
  const currentDate = times.next(Math.max(start, from) - 1);
  if (currentDate === undefined || currentDate > end) return undefined;
  return {
    start,
    end,
    currentDate,
    isPaused,
    inputs: isJsonObject(inputs) ? inputs : undefined,
    labels: labels === undefined ? undefined : readLabels(labels),
  };
}

function timingOf({ properties }: Trigger): string {
  const timing: JsonObject = {};
  for (const name of TIMING) {
    const value = ownProperty(properties, name);
    if (value !== undefined) timing[name] = value;
  }
  return stringifyJson(timing);
}
