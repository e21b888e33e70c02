/** Derives trigger states from the triggers that a flow declares, with the next date of each. Stores nothing. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  stringifyJson,
} from "../../base/json.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { dueOf } from "../../engine/schedule.ts";
import { hasExpression } from "../../flow/mod.ts";
import { throwDatabaseFault } from "../../model/errors.ts";
import { Evaluations } from "../../model/triggers/evaluations.ts";
import type { Flow, Trigger } from "../../model/flows/flow.ts";
import { parseInstant } from "../../base/time/iso_8601.ts";
import { readLabels } from "../../model/flows/label.ts";
import type { FireTimes, TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import { type Backfill, type TriggerState, withEvaluation } from "../../model/triggers/trigger_state.ts";
import { hashText } from "../starts/content_hash.ts";
import type { ScheduleDates } from "./schedule_dates.ts";

interface TriggerDeclarationsDeps {
  readonly clock: Clock;
  readonly catalog: TriggerCatalog;
  readonly dates: ScheduleDates;
}

/** Properties that the dates of a trigger depend on. */
const TIMING = ["type", "cron", "withSeconds", "timezone", "dates", "interval"];
/** Time until the first poll of a new trigger: no interval is shorter. */
const FIRST_POLL_MS = 1_000;

/** Derives states from declarations. */
export class TriggerDeclarations {
  readonly #deps: TriggerDeclarationsDeps;

  constructor(deps: TriggerDeclarationsDeps) {
    this.#deps = deps;
  }

  /** The state of a declared trigger, given its previous one. The next date stays if the timing properties are the same. */
  async stateOf(flow: Flow, trigger: Trigger, previous?: TriggerState): Promise<TriggerState> {
    const now = this.#deps.clock.now();
    const timing = timingOf(trigger);
    const timingHash = hashText([timing]);
    // Earlier versions stored the text.
    const isTimed = previous?.timing === timingHash || previous?.timing === timing;
    const isSame = previous?.kind === trigger.kind && isTimed;
    const base: TriggerState = {
      disabled: previous?.disabled ?? false,
      isDeclaredOff: trigger.disabled || undefined,
      date: previous?.date,
      executionId: previous?.executionId,
      evaluations: previous?.evaluations ?? Evaluations.none,
      backfill: isSame ? previous.backfill : undefined,
      pollState: previous?.kind === trigger.kind ? previous.pollState : undefined,
      namespace: flow.namespace,
      flowId: flow.id,
      triggerId: trigger.id,
      kind: trigger.kind,
      timing: timingHash,
      updatedAt: now,
    };
    if (!this.#isOn(flow, trigger, base)) return { ...base, backfill: undefined };
    // An expression may give another date now.
    const isOpen = hasExpression(timing) && (previous?.nextDate ?? 0) > now;
    // A realtime trigger connects again after each save: any property may have changed.
    const isHeld = this.#deps.catalog.find(trigger.kind)?.form === "realtime";
    if (isSame && previous.dueAt !== undefined && !isOpen && !isHeld) {
      return { ...base, nextDate: previous.nextDate, dueAt: previous.dueAt };
    }
    return await this.withDates(
      flow,
      trigger,
      previous ? base : { ...base, backfill: await this.#declaredBackfill(flow, trigger) },
    );
  }

  /** The state with its next date counted from now. @throws DomainError the database cannot be read */
  async withDates(flow: Flow, trigger: Trigger, state: TriggerState): Promise<TriggerState> {
    const now = this.#deps.clock.now();
    if (!this.#isOn(flow, trigger, state)) return { ...state, nextDate: undefined, dueAt: undefined };
    try {
      const nextDate = await this.#nextDate(flow, trigger, now);
      const dated = { ...state, nextDate };
      return { ...dated, dueAt: dueOf(dated, now) };
    } catch (error) {
      throwDatabaseFault(error);
      const evaluation = { at: now, outcome: "SKIPPED", reason: (error as Error).message } as const;
      return { ...withEvaluation(state, evaluation), nextDate: undefined, dueAt: undefined };
    }
  }

  #isOn(flow: Flow, trigger: Trigger, state: TriggerState): boolean {
    return !flow.disabled && !flow.deleted && !trigger.disabled && !state.disabled;
  }

  async #nextDate(flow: Flow, trigger: Trigger, now: Instant): Promise<Instant | undefined> {
    const type = this.#deps.catalog.find(trigger.kind);
    switch (type?.form) {
      case "schedule":
        return (await this.#deps.dates.timesOf(flow, trigger)).next(now);
      case "polling":
        return now + FIRST_POLL_MS;
      case "realtime":
        return now;
      default:
        // A type that this server does not have is reported when it is due.
        return type ? undefined : now;
    }
  }

  /** The backfill that a new schedule declares. */
  async #declaredBackfill(flow: Flow, trigger: Trigger): Promise<Backfill | undefined> {
    const declared = ownProperty(trigger.properties, "backfill");
    if (!isJsonObject(declared)) return undefined;
    const start = parseInstant(String(ownProperty(declared, "start") ?? ""));
    const now = this.#deps.clock.now();
    // Later dates belong to the schedule itself.
    const end = Math.min(parseInstant(String(ownProperty(declared, "end") ?? "")) ?? now, now);
    const [times] = await Promise.allSettled([this.#deps.dates.timesOf(flow, trigger)]);
    // `withDates` reports the error.
    if (start === undefined || times.status === "rejected") return undefined;
    const from = parseInstant(String(ownProperty(declared, "currentDate") ?? ""));
    const isPaused = isFlagSet(ownProperty(declared, "paused"));
    const { inputs, labels } = declared;
    return backfillOf(times.value, { start, end, from, isPaused, inputs, labels });
  }
}

/** A backfill from a request or a declaration; `undefined` if no date lies within it. */
export function backfillOf(
  times: FireTimes,
  request: {
    readonly start: Instant;
    readonly end: Instant;
    /** Dates before it are done; default: `start`. */
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
