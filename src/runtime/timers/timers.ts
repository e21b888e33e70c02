/** Stored timers of executions: asleep, paused, to be tried again, scheduled. */
import type { DueTimer } from "./timer_heap.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { TimerName } from "../../engine/events.ts";
import { timersBefore } from "../../store/keys.ts";
import type { Key, Store } from "../../store/store.ts";
import { DueLoop } from "./due_loop.ts";

/** What timers work with. */
interface TimersDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves once the timer's consequence is durable; a timer that is no longer wanted must be ignored by it. */
  readonly fire: (timer: DueTimer) => Promise<void>;
}

/** Fires timers when they are due, one after the other. */
export class Timers {
  readonly #deps: TimersDeps;
  readonly #loop: DueLoop<DueTimer>;

  constructor(deps: TimersDeps) {
    const { store, clock, logger } = deps;
    this.#deps = deps;
    this.#loop = new DueLoop({
      store,
      clock,
      dueBefore: timersBefore,
      itemOf: timerOf,
      fire: (timer) => this.#fireOne(timer),
      failed: (error) => logger.error("Timers cannot be read", { error: error.message }),
    });
  }

  /** Fires what is overdue and goes on from there. */
  start(): void {
    this.#loop.start();
  }

  /** Takes note of a timer that was just stored. */
  add(timer: DueTimer): void {
    this.#loop.add(timer);
  }

  /** Looks at the time now: after a jump of the clock, or when the platform could not keep a timer running. */
  check(): void {
    this.#loop.check();
  }

  /** Fires nothing more. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #fireOne(timer: DueTimer): Promise<void> {
    try {
      await this.#deps.fire(timer);
    } catch (error) {
      this.#deps.logger.warn("A timer waits for the database", {
        execution: timer.executionId,
        error: (error as Error).message,
      });
      this.#loop.retry(timer);
    }
  }
}

function timerOf(key: Key): DueTimer {
  const [, dueAt, tenant, executionId, name] = key;
  return {
    dueAt: Number(dueAt),
    tenant: String(tenant),
    executionId: String(executionId),
    name: String(name) as TimerName,
  };
}
