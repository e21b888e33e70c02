/** Threads that were ended, but still compute: Deno ends a thread only when it pauses, which one function may never do. */
import type { Clock } from "../../base/time/clock.ts";

/** Counts them until they have exited. */
export class GivenUpThreads {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #exits = new Set<Promise<void>>();

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Counts a thread until it exits. If it is `idle`, it does so at once and is waited for, no longer than `waitMs`. */
  async add(exit: Promise<void>, { isIdle, waitMs }: { isIdle: boolean; waitMs: number }): Promise<void> {
    const exited = exit.then(() => void this.#exits.delete(exited));
    this.#exits.add(exited);
    if (isIdle) await this.#oneExits([exited], waitMs);
  }

  /** Waits until a further thread may be started. @throws Error too many compute, and none exits in time */
  async room(operation: string, waitMs: number): Promise<void> {
    const endAt = this.#clock.monotonicMs() + waitMs;
    while (this.#exits.size >= this.#max) {
      const leftMs = endAt - this.#clock.monotonicMs();
      if (leftMs <= 0) {
        throw new Error(
          `Cannot ${operation}: ${this.#exits.size} evaluations that were stopped or took too long still compute, and cannot be ended`,
        );
      }
      await this.#oneExits([...this.#exits], leftMs);
    }
  }

  async #oneExits(exits: readonly Promise<void>[], waitMs: number): Promise<void> {
    const late = Promise.withResolvers<void>();
    const cancel = this.#clock.setTimer(waitMs, late.resolve);
    await Promise.race([...exits, late.promise]);
    cancel();
  }
}
