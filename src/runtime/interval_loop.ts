/** Work that is done again and again in the background: sealing the catalog, sweeping expired KV pairs. */
import type { CancelTimer, Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";

/** How a loop goes. */
interface IntervalLoopOptions {
  readonly name: string;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** One round; true when there is more to do at once. */
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

  /** Begins; the first round comes after one interval. */
  start(): void {
    this.#arm();
  }

  /** Ends after the round under way. */
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
      logger.warn("Background work failed and is tried again", { name, error: (error as Error).message });
    }
    this.#arm();
  }
}
