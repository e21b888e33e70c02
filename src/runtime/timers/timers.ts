/** Stored timers of executions: sleeps, pauses, retries, scheduled starts. */
import type { DueTimer } from "./timer_heap.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { TimerName } from "../../engine/events.ts";
import { timersBefore } from "../../store/keys.ts";
import type { Key, Store } from "../../store/store.ts";
import { DueLoop } from "./due_loop.ts";
import { liveKey } from "../live/live_execution.ts";

interface TimersDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves once the consequences of the timer are durable; must ignore a timer that the execution does not have any more. */
  readonly fire: (timer: DueTimer) => Promise<void>;
}

/**
 * Timers that are fired at a time. Each waits for a read and a commit, which are shared: one after the other 60 a second were
 * fired with a database server on a busy machine. Their executions are in memory meanwhile.
 */
const MAX_AT_ONCE = 64;

/** Fires timers when they are due; those of one execution one after the other. */
export class Timers {
  readonly #deps: TimersDeps;
  readonly #loop: DueLoop<DueTimer>;
  /** The last timer of each execution that is being fired. */
  readonly #firing = new Map<string, Promise<void>>();

  constructor(deps: TimersDeps) {
    const { store, clock, logger } = deps;
    this.#deps = deps;
    this.#loop = new DueLoop({
      store,
      clock,
      dueBefore: timersBefore,
      itemOf: timerOf,
      fire: (timer) => this.#fireInTurn(timer),
      maxAtOnce: MAX_AT_ONCE,
      failed: (error) => logger.repeated("error", "Timers cannot be read", { error: error.message }),
    });
  }

  /** Fires overdue timers, then each further one when it is due. */
  start(): void {
    this.#loop.start();
  }

  /** Adds a timer that was just stored. */
  add(timer: DueTimer): void {
    this.#loop.add(timer);
  }

  /** Checks the time now: after a jump of the clock, or if the platform did not keep a timer. */
  check(): void {
    this.#loop.check();
  }

  /** Fires nothing more. */
  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** The transition of an earlier timer may end a later one. */
  async #fireInTurn(timer: DueTimer): Promise<void> {
    const execution = liveKey(timer.tenant, timer.executionId);
    const before = this.#firing.get(execution);
    const fired = before ? before.then(() => this.#fireOne(timer)) : this.#fireOne(timer);
    this.#firing.set(execution, fired);
    await fired;
    if (this.#firing.get(execution) === fired) this.#firing.delete(execution);
  }

  async #fireOne(timer: DueTimer): Promise<void> {
    try {
      await this.#deps.fire(timer);
    } catch (error) {
      this.#deps.logger.repeated("warn", "A timer waits for the database", {
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
