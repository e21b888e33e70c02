/**
 * Times at which triggers are evaluated. What a trigger does at its time removes that time in the same entry, so a crash
 * neither loses nor repeats it.
 */
import type { Clock, Instant } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { TriggerKey } from "../../model/flows/flow.ts";
import { triggersDueBefore } from "../../store/keys.ts";
import type { Key, Store } from "../../store/store.ts";
import { triggerKeyOf } from "../../store/records/trigger_records.ts";
import { DueLoop } from "../../runtime/timers/due_loop.ts";

/** A trigger that is evaluated at a time. */
interface DueTrigger {
  readonly dueAt: Instant;
  readonly tenant: string;
  readonly trigger: TriggerKey;
}

/** What the scheduler works with. */
interface SchedulerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Evaluates a trigger; resolves once that is durable. One that is not due any more is forgotten by it. */
  readonly fire: (due: DueTrigger) => Promise<void>;
  /** Called some time before; reads what the evaluation takes. */
  readonly prepare: (due: DueTrigger) => Promise<void>;
}

/** Triggers that are evaluated at the same time. */
const MAX_FIRING = 1_000;
/** Triggers that are prepared at the same time. */
const MAX_PREPARING = 1_000;

/** Has triggers evaluated when they are due. */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #loop: DueLoop<DueTrigger>;
  readonly #firing = new Set<Promise<void>>();
  readonly #preparing = new Set<Promise<unknown>>();
  /** Told when one has been evaluated. */
  #made: (() => void) | undefined;

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
        return this.#room();
      },
      prepare: (due) => this.#prepare(due),
      failed: (error) => logger.error("Times of triggers cannot be read", { error: error.message }),
    });
  }

  /** Evaluates what is overdue and goes on from there. */
  start(): void {
    this.#loop.start();
  }

  /** Takes note of a time that was just stored. */
  add(due: DueTrigger): void {
    this.#loop.add(due);
  }

  /** Evaluates a trigger before its time. */
  wake(due: DueTrigger): void {
    if (!this.#loop.isStopped) this.#fire(due);
  }

  /** Looks at the time now: after a jump of the clock, or when the platform could not keep a timer running. */
  check(): void {
    this.#loop.check();
  }

  /** Evaluates nothing more, and ends what is under way. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.allSettled([...this.#firing, ...this.#preparing]);
  }

  /** Only makes it quicker: its time tells what cannot be read. */
  #prepare(due: DueTrigger): void {
    if (this.#preparing.size >= MAX_PREPARING) return;
    const prepared = Promise.allSettled([this.#deps.prepare(due)]);
    this.#preparing.add(prepared);
    void prepared.then(() => this.#preparing.delete(prepared));
  }

  #fire(due: DueTrigger): void {
    const fired = this.#fireOne(due);
    this.#firing.add(fired);
    void fired.then(() => {
      this.#firing.delete(fired);
      this.#made?.();
    });
  }

  /** `undefined` while there is room for more, else settles once there is. */
  #room(): Promise<void> | undefined {
    if (this.#firing.size < MAX_FIRING) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#made = resolve;
    return promise;
  }

  async #fireOne(due: DueTrigger): Promise<void> {
    try {
      await this.#deps.fire(due);
    } catch (error) {
      if (this.#loop.isStopped) return;
      this.#deps.logger.warn("A trigger cannot be evaluated yet", {
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
