/**
 * Evaluates triggers when they are due. The entry that stores the result of an evaluation also deletes its time, so a
 * crash neither loses nor repeats it.
 */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { TenantId, TriggerKey } from "../../model/flows/flow.ts";
import { triggersDueBefore } from "../../store/keys.ts";
import type { Key, Store } from "../../store/store.ts";
import { triggerKeyOf } from "../../store/records/trigger_records.ts";
import { DueLoop } from "../../runtime/timers/due_loop.ts";

/** A trigger and the time at which it is evaluated. */
export interface DueTrigger {
  readonly dueAt: Instant;
  readonly tenant: TenantId;
  readonly trigger: TriggerKey;
}

interface SchedulerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface SchedulerCallbacks {
  /** Evaluates a trigger; resolves once the result is durable. Deletes a time at which the trigger is not due any more. */
  readonly fire: (due: DueTrigger) => Promise<void>;
  /** Called 2 s before the time; reads into memory what the evaluation needs. */
  readonly prepare: (due: DueTrigger) => Promise<void>;
}

/** Triggers that are evaluated at the same time. */
const MAX_FIRING = 1_000;
/** Triggers that are prepared at the same time. */
const MAX_PREPARING = 1_000;

/** Calls back for triggers that are due. */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #loop: DueLoop<DueTrigger>;
  readonly #firing = new Set<Promise<void>>();
  readonly #preparing = new Set<Promise<unknown>>();
  #callbacks: SchedulerCallbacks | undefined;
  /** Called when an evaluation has ended. */
  #freed: (() => void) | undefined;

  constructor(deps: SchedulerDeps) {
    const { store, clock, logger } = deps;
    this.#deps = deps;
    this.#loop = new DueLoop({
      store,
      clock,
      dueBefore: triggersDueBefore,
      itemOf: dueOf,
      fire: (due) => {
        this.#fire(due);
        return this.#capacity();
      },
      prepare: (due) => this.#prepare(due),
      failed: (error) =>
        logger.repeated("error", "Cannot read the due times of triggers", { error: error.message }),
    });
  }

  /** Evaluates overdue triggers, then each one at its time. */
  start(callbacks: SchedulerCallbacks): void {
    this.#callbacks = callbacks;
    this.#loop.start();
  }

  /** Adds a time that was just stored. Before {@link start}, which reads all stored times, it does nothing. */
  add(due: DueTrigger): void {
    this.#loop.add(due);
  }

  /** Evaluates a trigger before its time. */
  wake(due: DueTrigger): void {
    if (!this.#loop.isStopped) this.#fire(due);
  }

  /** Checks the clock now: after a clock jump, or when the platform could not keep a timer running. */
  check(): void {
    this.#loop.check();
  }

  /** Starts no more evaluations and waits for the running ones. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.allSettled([...this.#firing, ...this.#preparing]);
  }

  /** Only an optimization: read errors are reported by the evaluation itself. */
  #prepare(due: DueTrigger): void {
    if (this.#preparing.size >= MAX_PREPARING) return;
    const prepared = Promise.allSettled([this.#callbacks?.prepare(due)]);
    this.#preparing.add(prepared);
    void prepared.then(() => this.#preparing.delete(prepared));
  }

  #fire(due: DueTrigger): void {
    const fired = this.#fireOne(due);
    this.#firing.add(fired);
    void fired.then(() => {
      this.#firing.delete(fired);
      this.#freed?.();
    });
  }

  /** `undefined` while more evaluations may start, else settles once one has ended. */
  #capacity(): Promise<void> | undefined {
    if (this.#firing.size < MAX_FIRING) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#freed = resolve;
    return promise;
  }

  async #fireOne(due: DueTrigger): Promise<void> {
    try {
      await this.#callbacks?.fire(due);
    } catch (error) {
      if (this.#loop.isStopped) return;
      this.#deps.logger.repeated("warn", "Cannot evaluate a trigger; retrying", {
        trigger: due.trigger.triggerId,
        flow: `${due.trigger.namespace}.${due.trigger.flowId}`,
        error: (error as Error).message,
      });
      this.#loop.retry(due);
    }
  }
}

function dueOf(key: Key): DueTrigger {
  return { dueAt: Number(key[1]), tenant: String(key[2]), trigger: triggerKeyOf(key) };
}
