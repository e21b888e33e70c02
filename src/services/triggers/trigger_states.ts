/** States of triggers: read, changed and written by one at a time. What follows from a change in memory follows its commit. */
import type { Clock, Instant } from "../../base/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import { RecentCache } from "../../base/lru.ts";
import type { FlowKey, TenantId, TriggerKey } from "../../model/flows/flow.ts";
import { flowOf, triggerName, type TriggerState } from "../../model/triggers/trigger_state.ts";
import type { Committer, Entry } from "../../store/committer.ts";
import { triggerDueKey } from "../../store/keys.ts";
import type { Mutation } from "../../store/store.ts";
import type { TriggerRecords, WindowResults } from "../../store/records/trigger_records.ts";
import type { TriggerIndex } from "./trigger_index.ts";

/** A trigger that is evaluated at a time. */
export interface DueTrigger {
  readonly dueAt: Instant;
  readonly tenant: TenantId;
  readonly trigger: TriggerKey;
}

/** What states are kept by. */
interface TriggerStatesDeps {
  readonly records: TriggerRecords;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly index: TriggerIndex;
  /** Told of times once they are durable. */
  readonly dueSet: (due: DueTrigger) => void;
}

/** A change that is about to be committed. */
export interface StateChange {
  readonly tenant: TenantId;
  readonly previous?: TriggerState;
  readonly next: TriggerState;
}

/** States that are kept at hand, each some 500 bytes. */
const MAX_RECENT = 4_000;

/** The states of all triggers. */
export class TriggerStates {
  readonly #deps: TriggerStatesDeps;
  readonly #recent = new RecentCache<string, TriggerState>(MAX_RECENT, () => 1);
  /** Tells a read that something was written meanwhile. */
  #writes = 0;
  readonly #locks = new KeyedLock();

  constructor(deps: TriggerStatesDeps) {
    this.#deps = deps;
  }

  /** Runs work that no other change of a flow's triggers comes between. */
  alone<T>(tenant: TenantId, { namespace, id }: FlowKey, work: () => Promise<T>): Promise<T> {
    return this.#locks.run(`${tenant}/${namespace}/${id}`, work);
  }

  /** The state of a trigger, when it is at hand. */
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

  /** Keeps nothing at hand any more: some of it may belong to a tenant that is gone. */
  forget(): void {
    this.#writes++;
    this.#recent.clear();
  }

  /** The states of all triggers of a flow. */
  ofFlow(tenant: TenantId, flow: FlowKey): Promise<TriggerState[]> {
    return this.#deps.records.ofFlow(tenant, flow);
  }

  /** The states of all triggers of a tenant. */
  all(tenant: TenantId): AsyncIterable<TriggerState> {
    return this.#deps.records.all(tenant);
  }

  /** What was met so far of a condition. */
  window(tenant: TenantId, trigger: TriggerKey, condition: string): Promise<WindowResults> {
    return this.#deps.records.window(tenant, trigger, condition);
  }

  /** What stores what was met so far of a condition. */
  saveWindow(tenant: TenantId, trigger: TriggerKey, condition: string, results: WindowResults): Mutation {
    return this.#deps.records.saveWindow(tenant, trigger, condition, results);
  }

  /** What stores a change; {@link applied} must follow its commit. */
  mutationsOf({ tenant, previous, next }: StateChange): Mutation[] {
    const isListening = this.#deps.index.isListening(next.kind);
    return this.#deps.records.save(tenant, next, { previous, isListening });
  }

  /** What removes a trigger. */
  removalOf(tenant: TenantId, state: TriggerState): Promise<Mutation[]> {
    return this.#deps.records.remove(tenant, state);
  }

  /** A change is durable. */
  applied({ tenant, next }: StateChange): void {
    this.#writes++;
    this.#recent.set(triggerName(tenant, next), next);
    this.#deps.index.setDisabled(tenant, next, next.disabled);
    // Told of again although it is the same: the clock may have been set back since it was told the first time.
    if (next.dueAt !== undefined) this.#deps.dueSet({ dueAt: next.dueAt, tenant, trigger: keyOf(next) });
  }

  /** A trigger is removed for good. */
  removed(tenant: TenantId, state: TriggerState): void {
    this.#writes++;
    this.#recent.delete(triggerName(tenant, state));
    this.#deps.index.remove(tenant, state);
  }

  /** Commits a change, and what belongs to it. */
  async save(change: StateChange, beside: readonly Mutation[] = []): Promise<void> {
    await this.commit({
      mutations: [...beside, ...this.mutationsOf(change)],
      committed: () => this.applied(change),
    });
  }

  /** Commits anything. */
  async commit(entry: Entry): Promise<void> {
    await this.#deps.committer.commit(entry);
  }

  /** Removes a time that nobody waits for any more. */
  async forgetDue({ dueAt, tenant, trigger }: DueTrigger): Promise<void> {
    await this.commit({ mutations: [{ type: "delete", key: triggerDueKey(dueAt, tenant, trigger) }] });
  }

  /** Reads a state, changes it and writes it; the new one. `undefined` when there is none. */
  async update(
    tenant: TenantId,
    trigger: TriggerKey,
    change: (state: TriggerState) => TriggerState | Promise<TriggerState>,
  ): Promise<TriggerState | undefined> {
    return await this.alone(tenant, flowOf(trigger), async () => {
      const previous = await this.get(tenant, trigger);
      if (!previous) return undefined;
      const next = { ...await change(previous), updatedAt: this.#deps.clock.now() };
      await this.save({ tenant, previous, next });
      return next;
    });
  }
}

/** The name of a state's trigger alone. */
export function keyOf({ namespace, flowId, triggerId }: TriggerKey): TriggerKey {
  return { namespace, flowId, triggerId };
}
