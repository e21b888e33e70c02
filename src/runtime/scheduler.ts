/**
 * Times at which triggers are evaluated: a heap over the next minute, the rest stays in the database. What a trigger
 * does at its time removes that time in the same entry, so a crash neither loses nor repeats it.
 */
import type { Clock, Instant } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { TriggerKey } from "../model/trigger_state.ts";
import { triggersDueBefore } from "../store/keys.ts";
import type { Key, Store } from "../store/store.ts";
import { triggerKeyOf } from "../store/trigger_records.ts";
import { TimerHeap } from "./timer_heap.ts";

/** A trigger that is evaluated at a time. */
export interface DueTrigger {
  readonly dueAt: Instant;
  readonly tenant: string;
  readonly trigger: TriggerKey;
}

/** What the scheduler works with. */
export interface SchedulerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Evaluates a trigger; resolves once that is durable. One that is not due any more is forgotten by it. */
  readonly fire: (due: DueTrigger) => Promise<void>;
}

const HORIZON_MS = 60_000;
const RETRY_MS = 1_000;
/** Triggers that are evaluated at the same time. */
const MAX_FIRING = 256;

/** Has triggers evaluated when they are due. */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #heap = new TimerHeap<DueTrigger>();
  readonly #firing = new Set<Promise<void>>();
  #loadedUntil: Instant = -Infinity;
  #cancel: (() => void) | undefined;
  #isRunning = false;
  #isStopped = true;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Evaluates what is overdue and goes on from there. */
  start(): void {
    this.#isStopped = false;
    this.check();
  }

  /** Takes note of a time that was just stored. */
  add(due: DueTrigger): void {
    if (this.#isStopped || due.dueAt >= this.#loadedUntil) return;
    this.#heap.push(due);
    this.#arm();
  }

  /** Evaluates a trigger before its time. */
  wake(due: DueTrigger): void {
    if (!this.#isStopped) this.#fire(due);
  }

  /** Looks at the time now: after a jump of the clock, or when the platform could not keep a timer running. */
  check(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    this.#work = this.#run();
  }

  /** Evaluates nothing more, and ends what is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#work;
    await Promise.allSettled([...this.#firing]);
  }

  async #run(): Promise<void> {
    let leastMs = 0;
    try {
      await this.#load();
      await this.#fireDue();
    } catch (error) {
      this.#deps.logger.error("Times of triggers cannot be read", { error: (error as Error).message });
      leastMs = RETRY_MS;
    } finally {
      this.#isRunning = false;
      this.#arm(leastMs);
    }
  }

  async #fireDue(): Promise<void> {
    const { clock } = this.#deps;
    for (let due = this.#heap.popDue(clock.now()); due; due = this.#heap.popDue(clock.now())) {
      if (this.#isStopped) return;
      this.#fire(due);
      if (this.#firing.size >= MAX_FIRING) await Promise.race(this.#firing);
    }
  }

  #fire(due: DueTrigger): void {
    const fired = this.#fireOne(due);
    this.#firing.add(fired);
    void fired.then(() => this.#firing.delete(fired));
  }

  async #fireOne(due: DueTrigger): Promise<void> {
    try {
      await this.#deps.fire(due);
    } catch (error) {
      if (this.#isStopped) return;
      this.#deps.logger.warn("A trigger cannot be evaluated yet", {
        trigger: due.trigger.triggerId,
        flow: `${due.trigger.namespace}.${due.trigger.flowId}`,
        error: (error as Error).message,
      });
      this.#deps.clock.setTimer(RETRY_MS, () => this.add(due));
    }
  }

  /** Reads the times of the next minute, once the last minute read is half over. */
  async #load(): Promise<void> {
    const now = this.#deps.clock.now();
    if (this.#loadedUntil > now + HORIZON_MS / 2) return;
    const until = now + HORIZON_MS;
    const from = this.#loadedUntil;
    this.#loadedUntil = until;
    let isRead = false;
    try {
      for await (const { key } of this.#deps.store.list(triggersDueBefore(until))) {
        if (Number(key[1]) >= from) this.#heap.push(dueOf(key));
      }
      isRead = true;
    } finally {
      // Some may be read twice then; one that has been dealt with already is ignored.
      if (!isRead) this.#loadedUntil = from;
    }
  }

  #arm(leastMs = 0): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isStopped || this.#isRunning) return;
    const { clock } = this.#deps;
    const nextLoad = this.#loadedUntil - HORIZON_MS / 2;
    const next = Math.min(this.#heap.nextDue ?? nextLoad, nextLoad);
    this.#cancel = clock.setTimer(Math.max(leastMs, next - clock.now()), () => this.check());
  }
}

function dueOf(key: Key): DueTrigger {
  return { dueAt: Number(key[1]), tenant: String(key[2]), trigger: triggerKeyOf(key) };
}
