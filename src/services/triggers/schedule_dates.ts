/** Dates of schedules: when they are, whether their conditions hold, and what an execution is started with at one. */
import type { Instant } from "../../base/clock.ts";
import { type JsonObject, ownProperty, setOwnProperty } from "../../base/json.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Flow, Trigger } from "../../model/flows/flow.ts";
import type { FireTimes, TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import type { TriggerState } from "../../model/triggers/trigger_state.ts";
import type { Conditions } from "../../rendering/conditions.ts";
import type { TriggerRenderer } from "../../rendering/trigger_renderer.ts";
import type { TriggerStart } from "./trigger_starts.ts";

/** What dates are found with. */
interface ScheduleDatesDeps {
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

/** What is started at a date; why nothing is, or why it cannot be told. */
interface PreparedStart {
  readonly start: TriggerStart;
  readonly refusal?: string;
  readonly error?: string;
}

/** What starts at a date. */
type StartAtDate = TriggerStart & { readonly scheduleDate: Instant };

/** A schedule with its properties rendered. */
interface RenderedSchedule {
  readonly times: FireTimes;
  /** Zone of its dates. */
  readonly timeZone: string;
}

/** Dates that are looked at for one that meets the conditions: a day of every minute; some 15 ms to come, 100 ms gone by. */
const MAX_LOOK_AHEAD = 1_500;

/** Finds dates. Stores nothing. */
export class ScheduleDates {
  readonly #deps: ScheduleDatesDeps;
  readonly #rendered = new WeakMap<Trigger, RenderedSchedule>();

  constructor(deps: ScheduleDatesDeps) {
    this.#deps = deps;
  }

  /** The times of a schedule, when they were asked for before. */
  knownTimes(trigger: Trigger): FireTimes | undefined {
    return this.#rendered.get(trigger)?.times;
  }

  /** The times of a schedule as its flow declares it. @throws Error they mean nothing */
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
      if (!Object.hasOwn(type.properties, name) || value === null) continue;
      setOwnProperty(properties, name, await this.#deps.renderer.value(flow, value, {}));
    }
    const timeZone = String(ownProperty(properties, "timezone") ?? this.#deps.timeZone);
    const rendered = { times: type.times(properties, timeZone), timeZone };
    this.#rendered.set(trigger, rendered);
    return rendered;
  }

  /** What is started at a date, and whether its conditions hold. At once where it has none. */
  prepare(
    schedule: ScheduleAtDate,
    date: Instant,
    isBackfill: boolean,
  ): PreparedStart | Promise<PreparedStart> {
    const { state: { backfill }, plan, trigger, times } = schedule;
    const beside = isBackfill && backfill ? { labels: backfill.labels, inputs: backfill.inputs } : {};
    const previous = times.previous(date);
    const variables: JsonObject = { date: times.text(date) };
    const next = times.next(date);
    if (next !== undefined) variables.next = times.text(next);
    if (previous !== undefined) variables.previous = times.text(previous);
    const start = { plan, trigger, variables, scheduleDate: date, ...beside };
    return this.#deps.conditions.has(trigger) ? this.#evaluate(schedule, start, next) : { start };
  }

  async #evaluate(schedule: ScheduleAtDate, start: StartAtDate, next?: Instant): Promise<PreparedStart> {
    const { variables, scheduleDate } = start;
    try {
      const refusal = await this.#refusal(schedule, scheduleDate, variables);
      if (refusal !== undefined) return { start, refusal };
      const { times } = schedule;
      const honouring = {
        next: await this.#honouring(schedule, next, (date) => times.next(date)),
        previous: await this.#honouring(
          schedule,
          times.previous(scheduleDate),
          (date) => times.previous(date),
        ),
      };
      for (const [name, date] of Object.entries(honouring)) {
        if (date === undefined) delete variables[name];
        else variables[name] = times.text(date);
      }
      return { start };
    } catch (error) {
      return { start, error: (error as Error).message };
    }
  }

  async #refusal(
    { plan: { flow }, trigger }: ScheduleAtDate,
    date: Instant,
    variables: JsonObject,
  ): Promise<string | undefined> {
    const { timeZone } = await this.#render(flow, trigger);
    return await this.#deps.conditions.refusal(trigger, {
      flow,
      date,
      timeZone,
      variables: { trigger: variables },
    });
  }

  /** The first date from one on that meets the conditions, as far as can be told soon; `step` gives the date to look at after another. */
  async #honouring(
    schedule: ScheduleAtDate,
    from: Instant | undefined,
    step: (date: Instant) => Instant | undefined,
  ): Promise<Instant | undefined> {
    const { times } = schedule;
    let date = from;
    for (let looked = 0; date !== undefined && looked < MAX_LOOK_AHEAD; looked++) {
      const refusal = await this.#refusal(schedule, date, { date: times.text(date) });
      if (refusal === undefined) return date;
      date = step(date);
    }
    return undefined;
  }
}
