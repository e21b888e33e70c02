/** Dates of schedules: finds them, evaluates conditions at them, prepares the start of an execution. Stores nothing. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import { type JsonObject, ownProperty, setOwnProperty } from "../../base/json.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { throwDatabaseFault } from "../../model/errors.ts";
import type { Flow, Trigger } from "../../model/flows/flow.ts";
import type { FireTimes, TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import type { Conditions } from "../../rendering/conditions.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import type { TriggerStart } from "./trigger_starts.ts";

interface ScheduleDatesDeps {
  readonly clock: Clock;
  readonly conditions: Conditions;
  readonly renderer: TriggerRenderer;
  readonly catalog: TriggerCatalog;
  readonly timeZone: string;
}

/** A schedule at one of its dates. */
export interface ScheduleAtDate {
  readonly state: TriggerState;
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
  readonly times: FireTimes;
}

/** The start at a date. `refusal` says which condition is false, `error` why conditions cannot be evaluated. */
interface PreparedStart {
  readonly start: TriggerStart;
  readonly refusal?: string;
  readonly error?: string;
}

type StartAtDate = TriggerStart & { readonly scheduleDate: Instant };

/** A schedule with its properties rendered. */
interface RenderedSchedule {
  readonly times: FireTimes;
  /** Zone of its dates. */
  readonly timeZone: string;
}

/** Dates tried to find one that meets the conditions: a day of every minute; some 15 ms for future, 100 ms for past dates. */
const MAX_TRIED_DATES = 1_500;
/** With hundreds of conditions a search takes more than a second. */
const TURN_MS = 4;

/** Finds and prepares dates; rendered properties are cached per trigger object. */
export class ScheduleDates {
  readonly #deps: ScheduleDatesDeps;
  readonly #rendered = new WeakMap<Trigger, RenderedSchedule>();

  constructor(deps: ScheduleDatesDeps) {
    this.#deps = deps;
  }

  /** The times of a schedule, if they are cached. */
  knownTimes(trigger: Trigger): FireTimes | undefined {
    return this.#rendered.get(trigger)?.times;
  }

  /** The times of a schedule as its flow declares it. @throws Error a property is invalid */
  async timesOf(flow: Flow, trigger: Trigger): Promise<FireTimes> {
    return (await this.#render(flow, trigger)).times;
  }

  async #render(flow: Flow, trigger: Trigger): Promise<RenderedSchedule> {
    const known = this.#rendered.get(trigger);
    if (known) return known;
    const type = this.#deps.catalog.find(trigger.kind);
    if (type?.form !== "schedule") throw new Error(`Trigger "${trigger.id}" has no times`);
    const properties: JsonObject = {};
    for (const name of Object.keys(trigger.properties)) {
      const value = ownProperty(trigger.properties, name) ?? null;
      const property = Object.hasOwn(type.properties, name) ? type.properties[name] : undefined;
      // Conditions are rendered at each date: they may read `trigger.date`.
      if (property === undefined || property.type === "conditions" || value === null) continue;
      setOwnProperty(properties, name, await this.#deps.renderer.value(flow, value, {}));
    }
    const timeZone = String(ownProperty(properties, "timezone") ?? this.#deps.timeZone);
    const rendered = { times: type.times(properties, timeZone), timeZone };
    this.#rendered.set(trigger, rendered);
    return rendered;
  }

  /** Prepares the start at a date and evaluates the conditions. Synchronous where there are none. */
  prepare(
    schedule: ScheduleAtDate,
    date: Instant,
    isBackfill: boolean,
  ): PreparedStart | Promise<PreparedStart> {
    const { state: { backfill }, plan, trigger, times } = schedule;
    const given = isBackfill && backfill ? { labels: backfill.labels, inputs: backfill.inputs } : {};
    const previous = times.previous(date);
    const variables: JsonObject = { date: times.text(date) };
    const next = times.next(date);
    if (next !== undefined) variables.next = times.text(next);
    if (previous !== undefined) variables.previous = times.text(previous);
    const rootVariables = { schedule: variables };
    // As the text of the date, it has whole seconds.
    const scheduleDate = Math.floor(date / 1000) * 1000;
    const start = { plan, trigger, variables, rootVariables, scheduleDate, ...given };
    return this.#deps.conditions.has(trigger) ? this.#evaluate(schedule, start, next) : { start };
  }

  async #evaluate(schedule: ScheduleAtDate, start: StartAtDate, next?: Instant): Promise<PreparedStart> {
    const { variables, scheduleDate } = start;
    try {
      const refusal = await this.#refusal(schedule, scheduleDate, variables);
      if (refusal !== undefined) return { start, refusal };
      const { times } = schedule;
      const before = times.previous(scheduleDate);
      const matching = {
        next: await this.#firstMatching(schedule, next, (date) => times.next(date)),
        previous: await this.#firstMatching(schedule, before, (date) => times.previous(date)),
      };
      for (const [name, date] of Object.entries(matching)) {
        if (date === undefined) delete variables[name];
        else variables[name] = times.text(date);
      }
      return { start };
    } catch (error) {
      throwDatabaseFault(error);
      return { start, error: (error as Error).message };
    }
  }

  async #refusal(
    { plan: { flow }, trigger }: ScheduleAtDate,
    date: Instant,
    variables: JsonObject,
  ): Promise<string | undefined> {
    const { timeZone } = await this.#render(flow, trigger);
    const facts = { flow, date, timeZone, variables: { trigger: variables, schedule: variables } };
    return await this.#deps.conditions.refusal(trigger, facts);
  }

  /** The first date from `from` on that meets the conditions; `undefined` after MAX_TRIED_DATES. `step` gives the following date. */
  async #firstMatching(
    schedule: ScheduleAtDate,
    from: Instant | undefined,
    step: (date: Instant) => Instant | undefined,
  ): Promise<Instant | undefined> {
    const { times } = schedule;
    const turns = new Turns(this.#deps.clock, TURN_MS);
    let date = from;
    for (let tried = 0; date !== undefined && tried < MAX_TRIED_DATES; tried++) {
      const refusal = await this.#refusal(schedule, date, { date: times.text(date) });
      if (refusal === undefined) return date;
      date = step(date);
      await turns.next();
    }
    return undefined;
  }
}
