/** Use cases of triggers: their states follow the flows that declare them; users list, disable, restart and backfill them. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Actor } from "../../model/access/actor.ts";
import {
  type DomainError,
  illegalState,
  invalidEntity,
  notFound,
  throwDatabaseFault,
  undefinedIfMissing,
} from "../../model/errors.ts";
import type { Flow, FlowKey, TenantId, Trigger, TriggerKey } from "../../model/flows/flow.ts";
import { filterInTurns } from "../../model/list_filter.ts";
import type { TriggerPort } from "../../model/ports/triggers.ts";
import type { TriggerCatalog, TriggerType } from "../../model/triggers/trigger_catalog.ts";
import {
  type Backfill,
  flowOf,
  oversizedMember,
  type TriggerState,
} from "../../model/triggers/trigger_state.ts";
import { dueOf } from "../../engine/schedule.ts";
import { withoutTriggerKeys } from "../../flow/mod.ts";
import type { TriggerRecords } from "../../store/records/trigger_records.ts";
import type { Flows } from "../flows/flows.ts";
import type { EvaluationBuffer } from "./evaluation_buffer.ts";
import type { Polls } from "./polls.ts";
import type { RealtimeTriggers } from "./realtime_triggers.ts";
import type { ScheduleDates } from "./schedule_dates.ts";
import type { Schedules } from "./schedules.ts";
import { backfillOf, type TriggerDeclarations } from "./trigger_declarations.ts";
import type { TriggerIndex } from "./trigger_index.ts";
import type { TriggerStates } from "./trigger_states.ts";

interface TriggersDeps {
  readonly clock: Clock;
  readonly flows: Flows;
  readonly states: TriggerStates;
  readonly records: TriggerRecords;
  readonly index: TriggerIndex;
  readonly buffer: EvaluationBuffer;
  readonly catalog: TriggerCatalog;
  readonly declarations: TriggerDeclarations;
  readonly dates: ScheduleDates;
  readonly schedules: Schedules;
  readonly polls: Pick<Polls, "runningSince">;
  readonly realtime: Pick<RealtimeTriggers, "forget">;
}

/** The state of a trigger and its declaration. */
export interface TriggerView {
  readonly state: TriggerState;
  /** Absent when the flow does not declare it any more. */
  readonly trigger?: Trigger;
  /** Absent for an unknown type. */
  readonly form?: TriggerType["form"];
  /** Its last execution has not ended. */
  readonly isRunning: boolean;
  /** When the evaluation that is under way began. */
  readonly evaluatingSince?: Instant;
}

/** Past dates for which a schedule starts executions. */
export interface BackfillRequest {
  readonly start: Instant;
  /** Now without it. Later dates belong to the schedule: none may lie between now and the end. */
  readonly end?: Instant;
  readonly isPaused?: boolean;
  readonly inputs?: JsonValue;
  readonly labels?: JsonValue;
}

/** Their flows are read at the same time. */
const VIEWS_PER_PIECE = 16;

/** The use cases of triggers. */
export class Triggers implements TriggerPort {
  readonly #deps: TriggersDeps;

  constructor(deps: TriggersDeps) {
    this.#deps = deps;
  }

  /** Fills the index with the triggers of these tenants. */
  async load(tenants: Iterable<TenantId>): Promise<void> {
    for (const tenant of tenants) {
      for await (const { trigger, isListening, isDisabled } of this.#deps.records.marks(tenant)) {
        if (isDisabled) this.#deps.index.setDisabled(tenant, trigger, true);
        if (isListening) await this.#listen(tenant, trigger);
      }
    }
  }

  /** Drops what is cached of a deleted tenant. */
  forget(tenant: TenantId): void {
    this.#deps.index.forget(tenant);
    this.#deps.states.clearCache();
    this.#deps.realtime.forget(tenant);
  }

  /** The states of a tenant that match, ordered by namespace, flow and id. @throws DomainError invalid_filter: the tests take too long */
  async select({ tenant }: Actor, matches: (state: TriggerState) => boolean): Promise<TriggerState[]> {
    const states = await Array.fromAsync(this.#deps.records.all(tenant));
    return await filterInTurns(states, matches, this.#deps.clock);
  }

  /** The states of the triggers of a flow. */
  ofFlow({ tenant }: Actor, flow: FlowKey): Promise<TriggerState[]> {
    return this.#deps.records.ofFlow(tenant, flow);
  }

  /** States with their declarations, as the actor may see them. */
  async views(actor: Actor, states: readonly TriggerState[]): Promise<TriggerView[]> {
    return (await Array.fromAsync(this.pieces(actor, states))).flat();
  }

  /** As {@link views}, in pieces that are read on demand. */
  async *pieces(
    { tenant, hidesKeys }: Actor,
    states: readonly TriggerState[],
  ): AsyncGenerator<TriggerView[]> {
    for (let i = 0; i < states.length; i += VIEWS_PER_PIECE) {
      yield await Promise.all(
        states.slice(i, i + VIEWS_PER_PIECE).map(async (state) => {
          const view = await this.#viewOf(tenant, state);
          return hidesKeys && view.trigger ? { ...view, trigger: withoutTriggerKeys(view.trigger) } : view;
        }),
      );
    }
  }

  /** The states of these triggers. @throws DomainError not_found */
  async pick({ tenant }: Actor, keys: readonly TriggerKey[]): Promise<TriggerState[]> {
    return await Promise.all(
      keys.map(async (key) => await this.#deps.states.get(tenant, key) ?? missing(key)),
    );
  }

  /** Disables or enables a trigger. An enabled schedule continues from now. @throws DomainError not_found, conflict */
  async setDisabled(tenant: TenantId, key: TriggerKey, disabled: boolean): Promise<void> {
    await this.disable({ tenant, user: "" }, key, disabled);
  }

  /** As {@link setDisabled}; returns the new view. @throws DomainError not_found, conflict */
  async disable({ tenant }: Actor, key: TriggerKey, disabled: boolean): Promise<TriggerView> {
    return await this.#change(tenant, key, async (state, { flow, trigger }) => {
      if (!disabled && trigger.disabled) {
        throw illegalState(`Cannot enable trigger "${key.triggerId}": its flow declares it as disabled`);
      }
      if (state.disabled === disabled) return state;
      return await this.#deps.declarations.withDates(flow, trigger, { ...state, disabled });
    });
  }

  /** Starts a backfill of past dates of a schedule. @throws DomainError not_found, conflict, invalid_entity */
  async backfill({ tenant }: Actor, key: TriggerKey, request: BackfillRequest): Promise<TriggerView> {
    return await this.#change(tenant, key, async (state, { flow, trigger }) => {
      this.#checkBackfill(state, flow, trigger);
      const now = this.#deps.clock.now();
      const { start, end = now } = request;
      if (start >= end || start >= now) {
        throw invalidEntity("backfill: start must lie before end and before now");
      }
      const oversized = oversizedMember(request);
      if (oversized) throw invalidEntity(`backfill.${oversized.property}: ${oversized.message}`);
      const times = await this.#deps.dates.timesOf(flow, trigger).catch((error: Error) => {
        throwDatabaseFault(error);
        throw cannotBackfill(trigger, error.message);
      });
      const next = times.next(now);
      if (next !== undefined && next <= end) {
        const date = times.text(next);
        throw invalidEntity(`backfill: end must lie before ${date}, the next date of the schedule`);
      }
      const backfill = backfillOf(times, { ...request, end });
      // Without a date between start and end it has ended already.
      return backfill ? this.#withBackfill(state, backfill) : state;
    });
  }

  /** Pauses or continues a backfill. @throws DomainError not_found, conflict */
  async pauseBackfill({ tenant }: Actor, key: TriggerKey, isPaused: boolean): Promise<TriggerView> {
    return await this.#change(tenant, key, (state) => {
      return this.#withBackfill(state, { ...backfillIn(state), isPaused });
    });
  }

  /** Ends a backfill. @throws DomainError not_found, conflict */
  async deleteBackfill({ tenant }: Actor, key: TriggerKey): Promise<TriggerView> {
    return await this.#change(tenant, key, (state) => {
      backfillIn(state);
      return this.#withBackfill(state, undefined);
    });
  }

  /** Computes the next date from now and unlocks the trigger. @throws DomainError not_found */
  async restart({ tenant }: Actor, key: TriggerKey): Promise<TriggerView> {
    return await this.#change(tenant, key, async (state, { flow, trigger }) => {
      return await this.#deps.declarations.withDates(flow, trigger, { ...state, executionId: undefined });
    });
  }

  /** Allows a trigger to start executions before its last one has ended. @throws DomainError not_found, conflict */
  async unlock({ tenant }: Actor, key: TriggerKey): Promise<TriggerView> {
    return await this.#change(tenant, key, async (state) => {
      if (await this.#deps.schedules.hasOpenExecution(tenant, state)) {
        return { ...state, executionId: undefined };
      }
      throw illegalState("Trigger is not locked");
    });
  }

  /** Replaces the state of a trigger by a new one, without history. @throws DomainError not_found */
  async reset({ tenant }: Actor, key: TriggerKey): Promise<void> {
    await this.#change(tenant, key, async (_state, { flow, trigger }) => {
      this.#deps.buffer.drop(tenant, key);
      return await this.#deps.declarations.stateOf(flow, trigger);
    });
  }

  async #change(
    tenant: TenantId,
    key: TriggerKey,
    change: (
      state: TriggerState,
      declared: { readonly flow: Flow; readonly trigger: Trigger },
    ) => TriggerState | Promise<TriggerState>,
  ): Promise<TriggerView> {
    const state = await this.#deps.states.update(tenant, key, async (previous) => {
      const { flow } = await this.#deps.flows.plan(tenant, flowOf(key));
      const trigger = flow.triggers.find(({ id }) => id === key.triggerId) ?? missing(key);
      return await change(previous, { flow, trigger });
    });
    return await this.#viewOf(tenant, state ?? missing(key));
  }

  async #viewOf(tenant: TenantId, state: TriggerState): Promise<TriggerView> {
    const { flow } = await this.#deps.flows.plan(tenant, flowOf(state), { allowDeleted: true });
    const trigger = flow.triggers.find(({ id }) => id === state.triggerId);
    const isRunning = await this.#deps.schedules.hasOpenExecution(tenant, state);
    const { form } = this.#deps.catalog.find(state.kind) ?? {};
    const evaluatingSince = this.#deps.polls.runningSince(tenant, state);
    return { state: this.#deps.buffer.applyTo(tenant, state), trigger, form, isRunning, evaluatingSince };
  }

  #checkBackfill(state: TriggerState, flow: Flow, trigger: Trigger): void {
    const reason = this.#deps.catalog.find(trigger.kind)?.form !== "schedule"
      ? "it is not a schedule"
      : flow.disabled || trigger.disabled || state.disabled
      ? "it is disabled"
      : state.backfill
      ? "it has a backfill already; delete that one first"
      : undefined;
    if (reason === undefined) return;
    throw cannotBackfill(trigger, reason);
  }

  #withBackfill(state: TriggerState, backfill: Backfill | undefined): TriggerState {
    const next = { ...state, backfill };
    return { ...next, dueAt: dueOf(next, this.#deps.clock.now()) };
  }

  /** A stored mark whose flow is missing must not prevent the start of the server. */
  async #listen(tenant: TenantId, key: TriggerKey): Promise<void> {
    const plan = await undefinedIfMissing(() => this.#deps.flows.plan(tenant, flowOf(key)));
    const trigger = plan?.flow.triggers.find(({ id }) => id === key.triggerId);
    if (plan && trigger) this.#deps.index.listen(tenant, plan.flow, trigger);
  }
}

function cannotBackfill({ id }: Trigger, reason: string): DomainError {
  return illegalState(`Cannot backfill trigger "${id}": ${reason}`);
}

function backfillIn({ backfill, triggerId }: TriggerState): Backfill {
  if (backfill) return backfill;
  throw illegalState(`Trigger "${triggerId}" has no backfill`);
}

function missing({ namespace, flowId, triggerId }: TriggerKey): never {
  throw notFound(`trigger "${namespace}.${flowId}.${triggerId}" does not exist`);
}
