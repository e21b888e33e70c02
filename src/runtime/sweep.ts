/**
 * Handles the message in the queue of the database: a durable reminder that live executions exist. The handler only starts
 * a sweep and returns: Deno KV delivers the message again if a handler runs longer than five seconds. Where the database has
 * no queue, the server sweeps at intervals.
 */
import type { CancelTimer, Clock } from "../base/time/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Committer } from "../store/committer.ts";
import type { ListedExecution, Manifests } from "../store/manifests.ts";
import type { Store } from "../store/store.ts";
import type { Executor } from "./executor.ts";

const RETRY_MS = 2_000;

interface SweepDeps {
  readonly clock: Clock;
  readonly store: Store;
  readonly committer: Committer;
  readonly manifests: Manifests;
  readonly executor: Executor;
  readonly logger: Logger;
}

/** Sweeps on each message of the queue. */
export class Sweep {
  readonly #deps: SweepDeps;
  #listening: Promise<void> = Promise.resolve();
  #cancelRetry: CancelTimer = () => {};
  #isStopped = false;

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  /** Listens; ends when the store is closed. */
  start(): void {
    const { store } = this.#deps;
    if (!store.hasQueue) return;
    this.#listening = store.listenQueue(() => this.#handle());
    this.#runLater();
  }

  /** Ignores further messages. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry();
  }

  /** Resolves once the closed store has ended the listening. */
  async closed(): Promise<void> {
    await this.#listening;
  }

  #handle(): Promise<void> {
    if (!this.#isStopped) void this.run();
    return Promise.resolve();
  }

  /** Recovers every listed execution that is not in memory, and schedules the next message. */
  async run(): Promise<void> {
    const { store, manifests, executor, committer, logger } = this.#deps;
    try {
      manifests.messageDelivered();
      executor.timers.check();
      await executor.recover(this.#missing());
      if (store.hasQueue && manifests.liveCount > 0) await committer.commit({ mutations: [] });
    } catch (error) {
      logger.repeated("warn", "A sweep failed; the next one tries again", {
        error: (error as Error).message,
      });
      if (store.hasQueue && !this.#isStopped) this.#runLater();
    }
  }

  /** After a start or a failed sweep there may be no message, unless another execution commits. */
  #runLater(): void {
    this.#cancelRetry();
    this.#cancelRetry = this.#deps.clock.setTimer(RETRY_MS, () => {
      if (this.#missing().length > 0) void this.run();
    });
  }

  #missing(): ListedExecution[] {
    const { manifests, executor } = this.#deps;
    return manifests.listed().filter(({ tenant, id }) => !executor.isLive(tenant, id));
  }
}
