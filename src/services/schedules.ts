/** What triggers do at their times: schedules start executions, polls look whether something has happened. */
import type { Clock, Instant } from "../base/clock.ts";
import { parseDuration } from "../base/duration.ts";
import { ownProperty } from "../base/json.ts";
import { afterDate, decideTick, dueOf, type SchedulePolicy, type ScheduleState } from "../engine/schedule.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { TenantId, Trigger } from "../model/flow.ts";
import { isEnded } from "../model/state.ts";
import type { FireTimes, TriggerCatalog, TriggerType } from "../model/trigger_catalog.ts";
import { flowOf, type TriggerState, withEvaluation } from "../model/trigger_state.ts";
import type { Changes } from "../store/changes.ts";
import type { ExecutionRecords } from "../store/execution_records.ts";
import type { ExecutorPort } from "./executor_port.ts";
import type { Flows } from "./flows.ts";
import { ifFound } from "./if_found.ts";
import type { Polls } from "./polls.ts";
import type { ScheduleAtDate, ScheduleDates } from "./schedule_dates.ts";
import type { TriggerStarts } from "./trigger_starts.ts";
import { type DueTrigger, keyOf, type TriggerStates } from "./trigger_states.ts";

/** What schedules work with. */
export interface SchedulesDeps {
  readonly clock: Clock;
  readonly flows: Flows;
  readonly states: TriggerStates;
  readonly starts: TriggerStarts;
  readonly dates: ScheduleDates;
  readonly catalog: TriggerCatalog;
  readonly executor: Pick<ExecutorPort, "begin">;
  readonly records: Pick<ExecutionRecords, "header">;
  readonly changes: Changes;
  readonly polls: Polls;
  /** Has a trigger looked at before its time. */
  readonly wake: (due: DueTrigger) => void;
}

/** A trigger at its time. */
interface Tick extends ScheduleAtDate {
  readonly due: DueTrigger;
  readonly now: Instant;
}

/** A trigger that waits for the end of an execution is looked at that often at the least. */
const WAIT_MS = 10_000;

/** The use cases of triggers that have times. */
export class Schedules {
  readonly #deps: SchedulesDeps;
  /** Ends the wait for an execution, by trigger. */
  readonly #waiting = new Map<string, () => void>();
  #startedAt: Instant = 0;

  constructor(deps: SchedulesDeps) {
    this.#deps = deps;
  }

  /** From now on, dates that lie before were missed. */
  start(): void {
    this.#startedAt = this.#deps.clock.now();
  }

  /** Waits for nothing any more. */
  stop(): void {
    for (const end of this.#waiting.values()) end();
    this.#waiting.clear();
  }

  /** A trigger is due; resolves once what follows is durable. One that is not any more is forgotten. */
  async tick(due: DueTrigger): Promise<void> {
    const { tenant, trigger: key } = due;
    const poll = await this.#deps.states.alone(tenant, flowOf(key), async () => {
      const state = await this.#deps.states.get(tenant, key);
      if (state?.dueAt !== due.dueAt) return void await this.#deps.states.forgetDue(due);
      const found = await this.#find(tenant, state);
      if (!found || found.trigger.disabled || found.plan.flow.disabled || state.disabled) {
        return await this.#save(tenant, state, { ...state, dueAt: undefined, nextDate: undefined });
      }
      const { type } = found;
      if (type.form === "polling") return { ...found, type };
      if (found.type.form === "schedule") await this.#tickSchedule(due, state, found);
    });
    if (poll) await this.#deps.polls.poll(due, poll, await this.isRunning(due));
  }

  /** A trigger is due soon: what it takes is read before. */
  async prepare({ tenant, trigger: key }: DueTrigger): Promise<void> {
    const state = await this.#deps.states.get(tenant, key);
    const found = state && await this.#find(tenant, state);
    if (found?.type.form === "schedule") await this.#deps.dates.timesOf(found.plan.flow, found.trigger);
  }

  /** True while the execution that a trigger started last has not ended. */
  async isRunning({ tenant, trigger }: DueTrigger): Promise<boolean> {
    const state = await this.#deps.states.get(tenant, trigger);
    return state !== undefined && await this.hasOpenExecution(tenant, state);
  }

  async #find(
    tenant: TenantId,
    state: TriggerState,
  ): Promise<{ plan: FlowPlan; trigger: Trigger; type: TriggerType } | undefined> {
    const plan = await this.#planOf(tenant, state);
    const trigger = plan?.flow.triggers.find(({ id }) => id === state.triggerId);
    const type = trigger && this.#deps.catalog.find(trigger.kind);
    return plan && trigger && type && { plan, trigger, type };
  }

  async #planOf(tenant: TenantId, state: TriggerState): Promise<FlowPlan | undefined> {
    return await ifFound(() => this.#deps.flows.plan(tenant, flowOf(state)));
  }

  async #tickSchedule(
    due: DueTrigger,
    state: TriggerState,
    { plan, trigger }: { readonly plan: FlowPlan; readonly trigger: Trigger },
  ): Promise<void> {
    const now = this.#deps.clock.now();
    let times: FireTimes;
    try {
      times = await this.#deps.dates.timesOf(plan.flow, trigger);
    } catch (error) {
      const failed = { at: now, outcome: "SKIPPED", reason: (error as Error).message } as const;
      const next = { ...withEvaluation(state, failed), dueAt: undefined, nextDate: undefined };
      return await this.#save(due.tenant, state, next);
    }
    await this.#decide({ due, state, plan, trigger, times, now });
  }

  async #decide(tick: Tick): Promise<void> {
    const { due, state, trigger, times, now } = tick;
    const isRunning = await this.hasOpenExecution(due.tenant, state);
    const policy = policyOf(trigger);
    const decision = decideTick(state, { times, policy }, { now, startedAt: this.#startedAt, isRunning });
    switch (decision.type) {
      case "rest":
        return await this.#save(due.tenant, state, { ...state, dueAt: dueOf(state, now) });
      case "wait":
        return await this.#wait(tick);
      case "skip": {
        const { date, reason, nextDate } = decision;
        const skipped = withEvaluation(state, { at: now, date, outcome: "SKIPPED", reason });
        const standing = { ...skipped, nextDate };
        return await this.#save(due.tenant, state, { ...standing, dueAt: dueAfter(due, standing, now) });
      }
      case "fire":
        return await this.#fire(tick, decision.date, decision.isBackfill);
    }
  }

  async #fire(tick: Tick, date: Instant, isBackfill: boolean): Promise<void> {
    const { due, state, plan, times, now } = tick;
    const after = { ...state, ...afterDate(state, date, { times, isBackfill }) };
    const standing = { ...after, dueAt: dueAfter(due, after, now) };
    const { start, refusal, error } = await this.#deps.dates.prepare(tick, date, isBackfill);
    if (refusal !== undefined) {
      const skipped = withEvaluation(standing, { at: now, date, outcome: "SKIPPED", reason: refusal });
      return await this.#save(due.tenant, state, skipped);
    }
    const made = error === undefined
      ? await this.#deps.starts.makeOrFail(start)
      : { execution: this.#deps.starts.fail(start, error), error };
    const { id: executionId } = made.execution;
    const outcome = made.error === undefined ? "STARTED" : "FAILED";
    const evaluation = { at: now, date, outcome, reason: made.error, executionId } as const;
    const next = { ...withEvaluation(standing, evaluation), date, executionId, updatedAt: now };
    const change = { tenant: due.tenant, previous: state, next };
    await this.#deps.executor.begin(made.execution, plan, this.#deps.states.mutationsOf(change));
    this.#deps.states.applied(change);
  }

  /** The last execution must end first; its end, or a while, brings the trigger back. */
  async #wait({ due: { tenant }, state, now }: Tick): Promise<void> {
    const { executionId } = state;
    const next = { ...state, dueAt: now + WAIT_MS };
    await this.#save(tenant, state, next);
    if (executionId === undefined) return;
    const due = { dueAt: next.dueAt, tenant, trigger: keyOf(state) };
    const name = `${tenant}/${executionId}`;
    this.#waiting.get(name)?.();
    const end = this.#deps.changes.subscribe(
      tenant,
      executionId,
      () => void this.#wake(name, due, executionId),
    );
    this.#waiting.set(name, end);
    await this.#wake(name, due, executionId);
  }

  async #wake(name: string, due: DueTrigger, executionId: string): Promise<void> {
    const execution = await this.#deps.records.header(due.tenant, executionId);
    if (execution && !isEnded(execution.history)) return;
    this.#waiting.get(name)?.();
    if (!this.#waiting.delete(name)) return;
    this.#deps.wake(due);
  }

  /** True while the last execution that it started has not ended. */
  async hasOpenExecution(tenant: TenantId, { executionId }: TriggerState): Promise<boolean> {
    if (executionId === undefined) return false;
    const execution = await this.#deps.records.header(tenant, executionId);
    return execution !== undefined && !isEnded(execution.history);
  }

  async #save(tenant: TenantId, previous: TriggerState, next: TriggerState): Promise<undefined> {
    await this.#deps.states.save({ tenant, previous, next });
  }
}

/** When the trigger is looked at next; never the same time again, which would be taken for the one that is over. */
function dueAfter({ dueAt }: DueTrigger, state: ScheduleState, now: Instant): Instant | undefined {
  const next = dueOf(state, now);
  return next === dueAt ? next + 1 : next;
}

function policyOf({ properties }: Trigger): SchedulePolicy {
  const recover = String(ownProperty(properties, "recoverMissedSchedules") ?? "ALL");
  const late = ownProperty(properties, "lateMaximumDelay") ?? null;
  return {
    recover: recover === "LAST" || recover === "NONE" ? recover : "ALL",
    lateMaximumDelayMs: late === null ? undefined : parseDuration(String(late)),
    allowConcurrent: isTrue(ownProperty(properties, "allowConcurrent")),
  };
}

function isTrue(value: unknown): boolean {
  return String(value ?? false).toLowerCase() === "true";
}
