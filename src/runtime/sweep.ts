/**
 * What the database's queue is for: its message is the durable promise that live executions are looked after. The
 * handler only hands over and returns: Deno KV redelivers a handler that runs longer than five seconds.
 */
import type { Logger } from "../base/log.ts";
import type { Committer } from "../store/committer.ts";
import type { Manifests } from "../store/manifests.ts";
import type { Store } from "../store/store.ts";
import type { Executor } from "./executor.ts";
import type { Timers } from "./timers/timers.ts";

/** What the sweep works with. */
interface SweepDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly manifests: Manifests;
  readonly executor: Executor;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** Handles the queue's messages. */
export class Sweep {
  readonly #deps: SweepDeps;
  #listening: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  /** Listens; ends when the store is closed. */
  start(): void {
    if (this.#deps.store.hasQueue) this.#listening = this.#deps.store.listenQueue(() => this.#handle());
  }

  /** Hands nothing over any more. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Settles once the closed store has ended the listening. */
  async closed(): Promise<void> {
    await this.#listening;
  }

  #handle(): Promise<void> {
    if (!this.#isStopped) void this.run();
    return Promise.resolve();
  }

  /** Goes on with every listed execution that this process does not work on, and sees to the next message. */
  async run(): Promise<void> {
    const { manifests, executor, committer, timers, logger } = this.#deps;
    try {
      manifests.messageDelivered();
      timers.check();
      await executor.recover(manifests.listed().filter(({ tenant, id }) => !executor.isLive(tenant, id)));
      if (manifests.liveCount > 0) await committer.commit({ mutations: [] });
    } catch (error) {
      logger.warn("A sweep failed; the next one tries again", { error: (error as Error).message });
    }
  }
}
