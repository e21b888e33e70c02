/** Goes on with executions that an earlier process worked on, or whose deletion was refused. */
import type { Logger } from "../base/log.ts";
import type { TimerName } from "../engine/events.ts";
import { hasWork } from "../engine/recover.ts";
import { hasSettled } from "../engine/tree.ts";
import { MAX_CRASHES_OF_EXECUTION } from "../model/limits.ts";
import type { Committer } from "../store/committer.ts";
import type { DueTimer } from "./timers/timer_heap.ts";
import type { LiveExecution } from "./live/live_execution.ts";
import type { LiveExecutions } from "./live/live_executions.ts";

/** What it works with. */
interface RecoveryDeps {
  readonly live: LiveExecutions;
  readonly committer: Committer;
  readonly logger: Logger;
  /** Told of timers that are stored. */
  readonly timerSet: (timer: DueTimer) => void;
  /** Applies its events. */
  readonly wake: (live: LiveExecution) => void;
}

/** Takes executions up again. */
export class Recovery {
  readonly #deps: RecoveryDeps;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  /** False when there is nothing to go on with, or it cannot be read. */
  async goOn(tenant: string, id: string): Promise<boolean> {
    const { live, logger } = this.#deps;
    if (live.has(tenant, id) || live.isDeleting(tenant, id)) return false;
    try {
      return await this.#recover(tenant, id);
    } catch (error) {
      // One record that cannot be read must not keep the others from going on, nor the server from starting.
      logger.error("An execution cannot be recovered", { execution: id, error: (error as Error).message });
      return false;
    }
  }

  /** Its timers may have been taken note of as fired, by what was never written. */
  async rearm(tenant: string, id: string): Promise<void> {
    const live = await this.#deps.live.find(tenant, id);
    for (const [name, dueAt] of live?.execution.timers ?? []) {
      this.#deps.timerSet({ dueAt, tenant, executionId: id, name: name as TimerName });
    }
    if (live && !live.isLive && !live.isDriven) this.#deps.live.letGo(live);
  }

  async #recover(tenant: string, id: string): Promise<boolean> {
    const executions = this.#deps.live;
    const live = await executions.find(tenant, id);
    const isTaken = live && (live.isDriven || live.isListed || !executions.isCurrent(live));
    if (isTaken) return false; // Somebody else has begun with it meanwhile.
    if (!live || hasSettled(live.tree)) {
      if (live) executions.letGo(live);
      if (!executions.isDeleting(tenant, id)) await this.#strike(tenant, id);
      return false;
    }
    live.isListed = true;
    // Manifests go with the last execution that they list: one that waits may stand in them beside others.
    const isCrash = !this.#deps.committer.followsStop && hasWork(live.tree);
    const crashes = isCrash ? ++live.execution.crashes : 0;
    live.events.push({ type: "recovered", isGivenUp: crashes >= MAX_CRASHES_OF_EXECUTION });
    this.#deps.wake(live);
    return true;
  }

  /** The manifests list it no longer. */
  async #strike(tenant: string, id: string): Promise<void> {
    const facts = { liveness: [{ tenant, id, live: false }] };
    await this.#deps.committer.commit({ mutations: [], facts });
  }
}
