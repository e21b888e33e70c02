/** Periodic background work: sealing the catalog, removing expired KV pairs. */
import type { CancelTimer, Clock } from "../base/time/clock.ts";
import type { Logger } from "../base/log.ts";

interface IntervalLoopOptions {
  readonly name: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** One round; true if there is more to do at once. */
  readonly round: () => Promise<boolean>;
}

/** Runs a round each interval; a round never overlaps the next. */
export class IntervalLoop implements AsyncDisposable {
  readonly #options: IntervalLoopOptions;
  #cancel: CancelTimer | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: IntervalLoopOptions) {
    this.#options = options;
  }

  /** Starts; the first round runs after one interval. */
  start(): void {
    this.#arm();
  }

  /** Stops after the current round. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
  }

  #arm(): void {
    if (this.#isStopped) return;
    this.#cancel = this.#options.clock.setTimer(this.#options.intervalMs, () => this.#round = this.#run());
  }

  async #run(): Promise<void> {
    const { name, logger, round } = this.#options;
    try {
      while (!this.#isStopped && await round());
    } catch (error) {
      logger.repeated("warn", `Background work failed and is tried again: ${name}`, {
        error: (error as Error).message,
      });
    }
    this.#arm();
  }
}
