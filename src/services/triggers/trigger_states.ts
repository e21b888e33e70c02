/** States of triggers: cached, and changed under a lock per flow. Memory is updated after the commit. */
import type { Clock } from "../../base/time/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { RecentCache } from "../../base/lru.ts";
import { sizeOf } from "../../base/json_size.ts";
import type { FlowKey, TenantId, TriggerKey } from "../../model/flows/flow.ts";
import { flowOf, triggerName, type TriggerState } from "../../model/triggers/trigger_state.ts";
import type { Committer, Entry } from "../../store/committer.ts";
import { triggerDueKey } from "../../store/keys.ts";
import type { Mutation } from "../../store/store.ts";
import type { TriggerRecords } from "../../store/records/trigger_records.ts";
import type { DueTrigger, Scheduler } from "./scheduler.ts";
import type { TriggerIndex } from "./trigger_index.ts";

interface TriggerStatesDeps {
  readonly records: TriggerRecords;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly index: TriggerIndex;
  /** Receives due times once they are durable. */
  readonly scheduler: Pick<Scheduler, "add">;
}

/** A change that is about to be committed. */
export interface StateChange {
  readonly tenant: TenantId;
  readonly previous?: TriggerState;
  readonly next: TriggerState;
}

/** Called when a state has changed in the database; `undefined` when its trigger or the declaration of it was replaced. */
type StateListener = (tenant: TenantId, trigger: TriggerKey, next: TriggerState | undefined) => void;

/** States in the cache, each some 500 bytes and its evaluations. One that remembers more counts as several; it may have 64 KiB. */
const MAX_CACHED = 4_000;
const USUAL_BYTES = 500;
const USUAL_EVALUATIONS = 2_000;
const MAX_BYTES = 65_536;

function weightOf({ pollState, backfill, evaluations }: TriggerState): number {
  const kept = sizeOf(pollState ?? null, MAX_BYTES) + sizeOf(backfill?.inputs ?? null, MAX_BYTES);
  const reasons = Math.max(0, evaluations.text.length - USUAL_EVALUATIONS);
  return 1 + Math.floor((kept + reasons) / USUAL_BYTES);
}

/** The states of all triggers. */
export class TriggerStates {
  readonly #deps: TriggerStatesDeps;
  readonly #recent = new RecentCache<string, TriggerState>(MAX_CACHED, weightOf);
  /** A read that overlaps a write must not fill the cache. */
  #writes = 0;
  readonly #locks = new KeyedLock();
  #listener: StateListener | undefined;

  constructor(deps: TriggerStatesDeps) {
    this.#deps = deps;
  }

  /** Calls back after each change. */
  listen(listener: StateListener): void {
    this.#listener = listener;
  }

  /** Runs work under the lock of a flow's triggers. */
  exclusively<T>(tenant: TenantId, { namespace, id }: FlowKey, work: () => Promise<T>): Promise<T> {
    return this.#locks.run(`${tenant}/${namespace}/${id}`, work);
  }

  /** Resolves once the changes of triggers of a namespace that run or wait now have ended. */
  settled(tenant: TenantId, namespace: string): Promise<void> {
    return this.#locks.settled(`${tenant}/${namespace}/`);
  }

  /** The state of a trigger if it is in the cache. */
  known(tenant: TenantId, trigger: TriggerKey): TriggerState | undefined {
    return this.#recent.get(triggerName(tenant, trigger));
  }

  /** The state of a trigger. */
  async get(tenant: TenantId, trigger: TriggerKey): Promise<TriggerState | undefined> {
    const name = triggerName(tenant, trigger);
    const known = this.#recent.get(name);
    if (known) return known;
    const writes = this.#writes;
    const state = await this.#deps.records.get(tenant, trigger);
    if (state && writes === this.#writes) this.#recent.set(name, state);
    return state;
  }

  /** Clears the cache, which may hold states of a deleted tenant. */
  clearCache(): void {
    this.#writes++;
    this.#recent.clear();
  }

  /** The mutations that store a change; call {@link applied} after their commit. */
  mutationsOf({ tenant, previous, next }: StateChange): Mutation[] {
    const isListening = this.#deps.index.isListening(next.kind);
    return this.#deps.records.save(tenant, next, { previous, isListening });
  }

  /** Updates cache, index and scheduler after the commit of a change. */
  applied({ tenant, next }: StateChange): void {
    this.#writes++;
    this.#recent.set(triggerName(tenant, next), next);
    this.#deps.index.setDisabled(tenant, next, next.disabled);
    this.#listener?.(tenant, next, next);
    // Added again even if unchanged: the clock may have been set back since it was added.
    if (next.dueAt !== undefined) {
      this.#deps.scheduler.add({ dueAt: next.dueAt, tenant, trigger: keyOf(next) });
    }
  }

  /** Updates cache and index after the commit that removed a trigger. */
  removed(tenant: TenantId, state: TriggerState): void {
    this.#writes++;
    this.#recent.delete(triggerName(tenant, state));
    this.#deps.index.remove(tenant, state);
    this.#listener?.(tenant, state, undefined);
  }

  /** Commits a change together with other mutations. */
  async save(change: StateChange, others: readonly Mutation[] = []): Promise<void> {
    await this.commit({
      mutations: [...others, ...this.mutationsOf(change)],
      committed: () => this.applied(change),
    });
  }

  /** Commits an entry as it is. */
  async commit(entry: Entry): Promise<void> {
    await this.#deps.committer.commit(entry);
  }

  /** Deletes a stored time at which the trigger is not due any more. */
  async deleteDue({ dueAt, tenant, trigger }: DueTrigger): Promise<void> {
    await this.commit({ mutations: [{ type: "delete", key: triggerDueKey(dueAt, tenant, trigger) }] });
  }

  /** Reads a state, changes it and stores it; returns the new one, `undefined` if it does not exist. */
  async update(
    tenant: TenantId,
    trigger: TriggerKey,
    change: (state: TriggerState) => TriggerState | Promise<TriggerState>,
  ): Promise<TriggerState | undefined> {
    return await this.exclusively(tenant, flowOf(trigger), async () => {
      const previous = await this.get(tenant, trigger);
      if (!previous) return undefined;
      const next = { ...await change(previous), updatedAt: this.#deps.clock.now() };
      await this.save({ tenant, previous, next });
      return next;
    });
  }
}

/** The key without the other fields of a state. */
export function keyOf({ namespace, flowId, triggerId }: TriggerKey): TriggerKey {
  return { namespace, flowId, triggerId };
}
