/** Promises without a caller: failures are logged, and the shutdown waits for them. */
import type { Logger } from "../../base/log.ts";
import { DomainError } from "../../model/errors.ts";

/** Pending promises. */
export class BackgroundWork {
  readonly #logger: Logger;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Adds a promise; the returned one never rejects. */
  track(work: Promise<unknown>): Promise<void> {
    const tracked = work.then(() => {}, (error: Error) => {
      // A refusal, as by a deletion or a full disk, is no bug: the execution continues later from what is stored.
      const level = error instanceof DomainError ? "warn" : "error";
      this.#logger[level]("Execution step failed", { error: error.message });
    });
    this.#pending.add(tracked);
    void tracked.then(() => this.#pending.delete(tracked));
    return tracked;
  }

  /** Resolves when all current promises are settled. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#pending]);
  }
}
