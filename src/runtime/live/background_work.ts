/** Work that nobody waits for: its failure is logged, and the end of the server waits for it. */
import type { Logger } from "../../base/log.ts";
import { DomainError } from "../../model/errors.ts";

/** Promises under way. */
export class BackgroundWork {
  readonly #logger: Logger;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Adds some. */
  track(work: Promise<unknown>): void {
    const tracked = work.catch((error: Error) => {
      // A refusal, as by a deletion or a full disk, is no bug: what is stored goes on later.
      const level = error instanceof DomainError ? "warn" : "error";
      this.#logger[level]("Execution step failed", { error: error.message });
    });
    this.#underWay.add(tracked);
    void tracked.then(() => this.#underWay.delete(tracked));
  }

  /** Resolves when all that is under way now has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#underWay]);
  }
}
