/** Evaluates due triggers: schedules start executions; others are handed to {@link Polls} and {@link RealtimeTriggers}. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import { readDuration } from "../../base/time/duration.ts";
import { ownProperty } from "../../base/json.ts";
import { isFlagSet } from "../../base/text/truthy_text.ts";
import { whenKnown } from "../../base/when_known.ts";
import {
  afterDate,
  decideTick,
  dueOf,
  type SchedulePolicy,
  type ScheduleState,
} from "../../engine/schedule.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { TenantId, Trigger, TriggerKey } from "../../model/flows/flow.ts";
import type { FireTimes, TriggerCatalog, TriggerType } from "../../model/triggers/trigger_catalog.ts";
import {
  afterUnstorable,
  flowOf,
  type TriggerState,
  withEvaluation,
} from "../../model/triggers/trigger_state.ts";
import type { Changes } from "../../store/changes.ts";
import type { ExecutionRecords } from "../../store/records/executions/execution_records.ts";
import type { Executor } from "../../runtime/executor.ts";
import type { Quotas } from "../access/quotas.ts";
import type { Flows } from "../flows/flows.ts";
import { isTooLarge, throwDatabaseFault, undefinedIfMissing } from "../../model/errors.ts";
import { type DeclaredPoll, pollIntervalMs, type Polls } from "./polls.ts";
import type { RealtimeTriggers } from "./realtime_triggers.ts";
import type { ScheduleAtDate, ScheduleDates } from "./schedule_dates.ts";
import type { DueTrigger, Scheduler } from "./scheduler.ts";
import type { StartResult, TriggerStart, TriggerStarts } from "./trigger_starts.ts";
import { keyOf, type TriggerStates } from "./trigger_states.ts";

interface SchedulesDeps {
  readonly clock: Clock;
  readonly flows: Flows;
  readonly states: TriggerStates;
  readonly starts: TriggerStarts;
  readonly dates: ScheduleDates;
  readonly catalog: TriggerCatalog;
  readonly executor: Pick<Executor, "begin" | "isEnding" | "prepareStart" | "shapes">;
  readonly records: Pick<ExecutionRecords, "isOpen">;
  readonly changes: Changes;
  readonly polls: Polls;
  readonly realtime: RealtimeTriggers;
  readonly scheduler: Pick<Scheduler, "start" | "wake">;
  readonly quotas?: Pick<Quotas, "refusalOf">;
}

/** A trigger as its flow declares it. */
interface Declared {
  readonly plan: FlowPlan;
  readonly trigger: Trigger;
  /** Absent: this server has no such type. */
  readonly type?: TriggerType;
}

/** A schedule that is due. */
interface Tick extends ScheduleAtDate {
  readonly due: DueTrigger;
  readonly now: Instant;
}

/** The schedule after one of its dates. */
type Rescheduled = ScheduleState & Pick<TriggerState, "dueAt">;

/** Longest time between evaluations of a trigger that waits for the end of an execution. */
const WAIT_MS = 10_000;
/** Usual delays of evaluations are shorter. */
const MAX_DELAY_MS = 1_000;

/** Evaluates triggers that have due times. */
export class Schedules {
  readonly #deps: SchedulesDeps;
  /** Unsubscribes from the execution that a trigger waits for, by `tenant/executionId`. */
  readonly #waiting = new Map<string, () => void>();
  #startedAt: Instant = 0;
  /** When the last evaluation began that was delayed. */
  #delayedUntil: Instant = 0;

  constructor(deps: SchedulesDeps) {
    this.#deps = deps;
  }

  /** Starts the scheduler. Dates before this moment count as missed. */
  start(): void {
    this.#startedAt = this.#deps.clock.now();
    this.#deps.scheduler.start({
      fire: (due) => this.tick(due).catch((error: Error) => this.#giveUp(due, error)),
      prepare: (due) => this.#prepare(due),
    });
  }

  /** Ends all waits for executions. */
  stop(): void {
    for (const end of this.#waiting.values()) end();
    this.#waiting.clear();
  }

  /**
   * Evaluates a due trigger; resolves once the result is durable. Deletes a time at which it is not due any more. A
   * prepared schedule creates its execution synchronously, so a thousand that are due together keep little memory each.
   */
  tick(due: DueTrigger): Promise<void> {
    const { tenant, trigger } = due;
    const evaluated = this.#deps.states.exclusively(tenant, flowOf(trigger), () => this.#evaluate(due));
    return evaluated.then((poll) => poll && this.#poll(due, poll));
  }

  /** Notes a failure if the database would refuse the result of an evaluation at each further try; continues with the next date from now. */
  async #giveUp({ tenant, trigger: key, dueAt }: DueTrigger, error: Error): Promise<void> {
    if (!isTooLarge(error)) throw error;
    await this.#deps.states.exclusively(tenant, flowOf(key), async () => {
      const state = await this.#deps.states.get(tenant, key);
      if (state?.dueAt !== dueAt) return;
      const now = this.#deps.clock.now();
      const nextDate = await this.#dateAfter(now, await this.#find(tenant, key));
      const next = { ...afterUnstorable(state, now, error.message), nextDate, dueAt: nextDate };
      await this.#save(tenant, state, next);
    });
  }

  async #dateAfter(now: Instant, found: Declared | undefined): Promise<Instant | undefined> {
    if (!found) return undefined;
    if (found.type?.form !== "schedule") return now + pollIntervalMs(found.trigger);
    const [times] = await Promise.allSettled([this.#deps.dates.timesOf(found.plan.flow, found.trigger)]);
    // Without times the trigger rests, as after any evaluation that cannot read them.
    return times.status === "fulfilled" ? times.value.next(now) : undefined;
  }

  async #poll(due: DueTrigger, poll: DeclaredPoll): Promise<void> {
    const state = await this.#deps.states.get(due.tenant, due.trigger);
    const isRunning = state !== undefined && await this.hasOpenExecution(due.tenant, state);
    await this.#deps.polls.poll(due, poll, isRunning);
  }

  /** Resolves with a trigger that has to be polled, outside of the lock. */
  #evaluate(due: DueTrigger): Promise<DeclaredPoll | void> {
    const { tenant, trigger } = due;
    const state = this.#deps.states.known(tenant, trigger);
    const found = this.#declared(this.#deps.flows.knownPlan(tenant, flowOf(trigger)), trigger);
    return state && found ? this.#act(due, state, found) : this.#readAndAct(due);
  }

  async #readAndAct(due: DueTrigger): Promise<DeclaredPoll | void> {
    const { tenant, trigger } = due;
    const state = await this.#deps.states.get(tenant, trigger);
    const isDue = state?.dueAt === due.dueAt;
    return await this.#act(due, state, isDue ? await this.#find(tenant, trigger) : undefined);
  }

  #act(
    due: DueTrigger,
    state: TriggerState | undefined,
    found: Declared | undefined,
  ): Promise<DeclaredPoll | void> {
    if (state?.dueAt !== due.dueAt) return this.#deps.states.deleteDue(due);
    if (!found || found.trigger.disabled || found.plan.flow.disabled || state.disabled) {
      return this.#save(due.tenant, state, { ...state, dueAt: undefined, nextDate: undefined });
    }
    const { type } = found;
    if (!type) return this.#reportUnknown(due, state, found.trigger);
    if (type.form === "polling") return Promise.resolve({ ...found, type });
    if (type.form === "realtime") return this.#deps.realtime.check(due, state, { ...found, type });
    return type.form === "schedule" ? this.#tickSchedule(due, state, found) : Promise.resolve();
  }

  /** The due time stays, in the past: a later start of a server with the type finds it. Storing it again evaluates it again. */
  #reportUnknown({ tenant }: DueTrigger, state: TriggerState, { kind }: Trigger): Promise<void> {
    const reason = `This server has no type "${kind}": start it with the plugin that declares it`;
    if (state.evaluations.latest?.reason === reason) return Promise.resolve();
    const evaluation = { at: this.#deps.clock.now(), outcome: "SKIPPED", reason } as const;
    return this.#save(tenant, state, withEvaluation(state, evaluation));
  }

  /** Reads into memory what the evaluation of a trigger will need. */
  async #prepare({ tenant, trigger: key }: DueTrigger): Promise<void> {
    const state = await this.#deps.states.get(tenant, key);
    const found = await this.#find(tenant, key);
    if (!state || found?.type?.form !== "schedule") return;
    const times = await this.#deps.dates.timesOf(found.plan.flow, found.trigger);
    if (state.nextDate !== undefined) times.previous(state.nextDate);
    await this.hasOpenExecution(tenant, state);
    this.#deps.executor.prepareStart(found.plan);
  }

  async #find(tenant: TenantId, key: TriggerKey): Promise<Declared | undefined> {
    return this.#declared(await undefinedIfMissing(() => this.#deps.flows.plan(tenant, flowOf(key))), key);
  }

  #declared(plan: FlowPlan | undefined, { triggerId }: TriggerKey): Declared | undefined {
    const trigger = plan?.flow.triggers.find(({ id }) => id === triggerId);
    return plan && trigger && { plan, trigger, type: this.#deps.catalog.find(trigger.kind) };
  }

  #tickSchedule(due: DueTrigger, state: TriggerState, { plan, trigger }: Declared): Promise<void> {
    const { clock, dates } = this.#deps;
    const now = clock.now();
    const decide = (times: FireTimes) => this.#decide({ due, state, plan, trigger, times, now });
    const known = dates.knownTimes(trigger);
    if (known) return decide(known);
    return dates.timesOf(plan.flow, trigger).then(decide, (error) => {
      throwDatabaseFault(error);
      const failed = { at: now, outcome: "SKIPPED", reason: (error as Error).message } as const;
      const next = { ...withEvaluation(state, failed), dueAt: undefined, nextDate: undefined };
      return this.#save(due.tenant, state, next);
    });
  }

  #decide(tick: Tick): Promise<void> {
    this.#deps.executor.shapes.keep("tick", tick, tick.plan);
    return whenKnown(
      this.hasOpenExecution(tick.due.tenant, tick.state),
      (isRunning) => this.#carryOut(tick, isRunning),
    );
  }

  #carryOut(tick: Tick, isRunning: boolean): Promise<void> {
    const { due, state, trigger, times, now } = tick;
    if (isDelayed(tick)) this.#delayedUntil = now;
    const isEnding = isRunning && this.#isEnding(due.tenant, state);
    const facts = { now, startedAt: this.#startedAt, delayedUntil: this.#delayedUntil, isRunning, isEnding };
    const decision = decideTick(state, { times, policy: policyOf(trigger) }, facts);
    switch (decision.type) {
      case "rest":
        return this.#save(due.tenant, state, { ...state, dueAt: dueOf(state, now) });
      case "wait":
        return this.#wait(tick);
      case "skip": {
        const { date, reason, nextDate } = decision;
        const skipped = withEvaluation(state, { at: now, date, outcome: "SKIPPED", reason });
        const next = { ...skipped, nextDate };
        return this.#save(due.tenant, state, { ...next, dueAt: dueAfter(due, next, now) });
      }
      case "fire":
        return this.#fire(tick, decision.date, decision.isBackfill);
    }
  }

  #fire(tick: Tick, date: Instant, isBackfill: boolean): Promise<void> {
    const { due, state, times, now } = tick;
    const after = afterDate(state, date, { times, isBackfill });
    const rescheduled: Rescheduled = { ...after, dueAt: dueAfter(due, after, now) };
    return whenKnown(
      this.#deps.dates.prepare(tick, date, isBackfill),
      ({ start, refusal, error }): Promise<void> =>
        whenKnown(refusal ?? this.#deps.quotas?.refusalOf(due.tenant, "executions"), (reason) => {
          if (reason === undefined) {
            return whenKnown(
              this.#createOrFail(start, error),
              (created) => this.#begin(tick, rescheduled, created, date),
            );
          }
          const evaluation = { at: now, date, outcome: "SKIPPED", reason } as const;
          return this.#save(due.tenant, state, withEvaluation({ ...state, ...rescheduled }, evaluation));
        }),
    );
  }

  #begin(
    { due, state, plan, now }: Tick,
    rescheduled: Rescheduled,
    { execution, error: reason }: StartResult,
    date: Instant,
  ): Promise<void> {
    const { id: executionId } = execution;
    const outcome = reason === undefined ? "STARTED" : "FAILED";
    const evaluation = { at: now, date, outcome, reason, executionId } as const;
    const evaluations = state.evaluations.with(evaluation);
    const next = { ...state, ...rescheduled, evaluations, date, executionId, updatedAt: now };
    const change = { tenant: due.tenant, previous: state, next };
    const { executor, states } = this.#deps;
    return executor.begin(execution, plan, states.mutationsOf(change)).then(() => states.applied(change));
  }

  #createOrFail(start: TriggerStart, error: string | undefined): StartResult | Promise<StartResult> {
    const { starts } = this.#deps;
    return error === undefined ? starts.createOrFail(start) : { execution: starts.fail(start, error), error };
  }

  /** The last execution has to end first: its end, or WAIT_MS, brings the next evaluation. */
  async #wait({ due: { tenant }, state, now }: Tick): Promise<void> {
    const { executionId } = state;
    const next = { ...state, dueAt: now + WAIT_MS };
    await this.#save(tenant, state, next);
    if (executionId === undefined) return;
    const due = { dueAt: next.dueAt, tenant, trigger: keyOf(state) };
    const name = `${tenant}/${executionId}`;
    this.#waiting.get(name)?.();
    // If it cannot be read then, the due time brings the next evaluation.
    const changed = () => void this.#wake(name, due, executionId).catch(() => undefined);
    const end = this.#deps.changes.subscribe(tenant, executionId, changed);
    this.#waiting.set(name, end);
    await this.#wake(name, due, executionId);
  }

  async #wake(name: string, due: DueTrigger, executionId: string): Promise<void> {
    if (await this.#deps.records.isOpen(due.tenant, executionId)) return;
    this.#waiting.get(name)?.();
    if (!this.#waiting.delete(name)) return;
    this.#deps.scheduler.wake(due);
  }

  /** True while the last execution that the trigger started has not ended. Synchronous when the answer is cached. */
  hasOpenExecution(tenant: TenantId, { executionId }: TriggerState): boolean | Promise<boolean> {
    return executionId !== undefined && this.#deps.records.isOpen(tenant, executionId);
  }

  #isEnding(tenant: TenantId, { executionId }: TriggerState): boolean {
    return executionId !== undefined && this.#deps.executor.isEnding(tenant, executionId);
  }

  #save(tenant: TenantId, previous: TriggerState, next: TriggerState): Promise<void> {
    return this.#deps.states.save({ tenant, previous, next });
  }
}

/** True if the process was stopped, or too busy, when the tick was due: it waited for nothing else. */
function isDelayed({ due: { dueAt }, state: { evaluations }, now }: Tick): boolean {
  return now - dueAt > MAX_DELAY_MS && now - Math.max(dueAt, evaluations.latest?.at ?? 0) > MAX_DELAY_MS;
}

/** Time of the next evaluation; never the one that is over, from which it could not be distinguished. */
function dueAfter({ dueAt }: DueTrigger, state: ScheduleState, now: Instant): Instant | undefined {
  const next = dueOf(state, now);
  return next === dueAt ? next + 1 : next;
}

function policyOf({ properties }: Trigger): SchedulePolicy {
  const recover = String(ownProperty(properties, "recoverMissedSchedules") ?? "ALL");
  return {
    recover: recover === "LAST" || recover === "NONE" ? recover : "ALL",
    lateMaximumDelayMs: readDuration(ownProperty(properties, "lateMaximumDelay")),
    allowConcurrent: isFlagSet(ownProperty(properties, "allowConcurrent")),
  };
}
