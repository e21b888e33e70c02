/** Deletions of executions and of their log lines: one of an execution at a time, and nothing else changes it meanwhile. */
import { KeyedLock } from "../base/keyed_lock.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer, EntryFacts } from "../store/committer.ts";
import type { Deliveries } from "./deliveries.ts";
import { liveKey } from "./live/live_execution.ts";
import type { LiveExecutions } from "./live/live_executions.ts";
import type { Recovery } from "./recovery.ts";
import { type CommitGroupDeps, giveUp } from "./slices/commit_group.ts";

interface DeletionsDeps {
  readonly live: LiveExecutions;
  readonly recovery: Recovery;
  readonly deliveries: Deliveries;
  readonly changes: Changes;
  readonly committer: Committer;
  readonly slices: () => CommitGroupDeps;
}

/**
 * Stops all work on an execution, and prevents loading it until its deletion has ended: a timer or a kill must not bring it
 * back. The facts remove it from the manifests.
 */
export type Drop = (id: string) => EntryFacts;

/** Each may remove a manifest, and an atomic takes at most 1,000 mutations. */
const DROPS_PER_ENTRY = 500;

/** Keeps executions from being loaded while they are deleted. */
export class Deletions {
  readonly #deps: DeletionsDeps;
  readonly #lock = new KeyedLock();

  constructor(deps: DeletionsDeps) {
    this.#deps = deps;
  }

  /**
   * Runs `work` after all other deletions of these executions. It must read them itself, and drop those that it changes; their
   * changes are published once it has ended. If it fails, they are resumed.
   */
  run<T>(tenant: string, ids: readonly string[], work: (drop: Drop) => Promise<T>): Promise<T> {
    // In the same order for all, so that no two wait for each other.
    const inTurn = ids.toSorted().reduceRight<() => Promise<T>>(
      (next, id) => () => this.#lock.run(liveKey(tenant, id), next),
      () => this.#run(tenant, work),
    );
    return inTurn();
  }

  /** Waits for the deletions of an execution that are under way; false if there are none. */
  async settled(tenant: string, id: string): Promise<boolean> {
    const key = liveKey(tenant, id);
    if (!this.#lock.isHeld(key)) return false;
    await this.#lock.settled(key);
    return true;
  }

  /** Stops all work on the executions of a tenant that is being deleted. */
  async ofTenant(tenant: string): Promise<void> {
    const { live, committer, deliveries } = this.#deps;
    const ids = live.ofTenant(tenant).map(({ execution }) => execution.id);
    const facts = ids.flatMap((id) => this.#drop(tenant, id).liveness ?? []);
    for (let i = 0; i < ids.length; i += DROPS_PER_ENTRY) {
      await committer.commit({ mutations: [], facts: { liveness: facts.slice(i, i + DROPS_PER_ENTRY) } });
    }
    for (const id of ids) live.endDeletion(tenant, id);
    deliveries.forgetTenant(tenant);
  }

  async #run<T>(tenant: string, work: (drop: Drop) => Promise<T>): Promise<T> {
    const { live, changes } = this.#deps;
    const dropped: string[] = [];
    const drop = (id: string) => {
      dropped.push(id);
      return this.#drop(tenant, id);
    };
    let isDone = false;
    try {
      const result = await work(drop);
      isDone = true;
      return result;
    } finally {
      const listed = dropped.filter((id) => live.endDeletion(tenant, id));
      for (const id of dropped) changes.publish(tenant, id);
      if (!isDone) { for (const id of dropped) await this.#resume(tenant, id, listed.includes(id)); }
    }
  }

  #drop(tenant: string, id: string): EntryFacts {
    const live = this.#deps.live.beginDeletion(tenant, id);
    live?.interruptAll();
    if (live) giveUp(live, this.#deps.slices());
    // Also if it is not listed yet: a commit in progress may be about to list it.
    return { liveness: [{ tenant, id, live: false }] };
  }

  async #resume(tenant: string, id: string, wasListed: boolean): Promise<void> {
    const { deliveries, recovery } = this.#deps;
    await deliveries.inTurn({ tenant, id }, () => recovery.rearm(tenant, id));
    if (wasListed) await recovery.recover(tenant, id);
  }
}
