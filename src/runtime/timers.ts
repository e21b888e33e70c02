/**
 * Stored timers: a heap over those due within the next minute, the rest stays in the database. So 100,000 scheduled
 * executions cost nothing at boot and nothing while they wait.
 */
import type { Clock, Instant } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { TimerName } from "../engine/events.ts";
import { timersBefore } from "../store/keys.ts";
import type { Key, Store } from "../store/store.ts";
import type { DueTimer } from "./executor_deps.ts";
import { TimerHeap } from "./timer_heap.ts";

const HORIZON_MS = 60_000;
const RETRY_MS = 1_000;

/** Fires timers when they are due. */
export class Timers {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #fire: (timer: DueTimer) => Promise<void>;
  readonly #heap = new TimerHeap();
  #loadedUntil: Instant = 0;
  #cancel: (() => void) | undefined;
  #isRunning = false;
  #isStopped = true;
  #work: Promise<void> = Promise.resolve();

  /** `fire` resolves once the timer's consequence is durable; a timer that is no longer wanted must be ignored by it. */
  constructor(
    deps: { store: Store; clock: Clock; logger: Logger; fire: (timer: DueTimer) => Promise<void> },
  ) {
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#fire = deps.fire;
  }

  /** Fires what is overdue and goes on from there. */
  start(): void {
    this.#isStopped = false;
    this.check();
  }

  /** Takes note of a timer that was just stored. */
  add(timer: DueTimer): void {
    if (this.#isStopped || timer.dueAt >= this.#loadedUntil) return;
    this.#heap.push(timer);
    this.#arm();
  }

  /** Looks at the time now: after a jump of the clock, or when the platform could not keep a timer running. */
  check(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    this.#work = this.#run();
  }

  /** Fires nothing more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#work;
  }

  async #run(): Promise<void> {
    let leastMs = 0;
    try {
      await this.#load();
      for (
        let timer = this.#heap.popDue(this.#clock.now());
        timer;
        timer = this.#heap.popDue(this.#clock.now())
      ) {
        if (this.#isStopped) return;
        await this.#fireOne(timer);
      }
    } catch (error) {
      this.#logger.error("Timers cannot be read", { error: (error as Error).message });
      leastMs = RETRY_MS;
    } finally {
      this.#isRunning = false;
      this.#arm(leastMs);
    }
  }

  async #fireOne(timer: DueTimer): Promise<void> {
    try {
      await this.#fire(timer);
    } catch (error) {
      this.#logger.warn("A timer waits for the database", {
        execution: timer.executionId,
        error: (error as Error).message,
      });
      this.#clock.setTimer(RETRY_MS, () => this.add(timer));
    }
  }

  /** Reads the timers of the next minute, once the last minute read is half over. */
  async #load(): Promise<void> {
    const now = this.#clock.now();
    if (this.#loadedUntil > now + HORIZON_MS / 2) return;
    const until = now + HORIZON_MS;
    const from = this.#loadedUntil;
    this.#loadedUntil = until;
    let isRead = false;
    try {
      for await (const { key } of this.#store.list(timersBefore(until))) {
        if (Number(key[1]) >= from) this.#heap.push(timerOf(key));
      }
      isRead = true;
    } finally {
      // Some may be read twice then; one that has fired already is ignored.
      if (!isRead) this.#loadedUntil = from;
    }
  }

  #arm(leastMs = 0): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isStopped || this.#isRunning) return;
    const nextLoad = this.#loadedUntil - HORIZON_MS / 2;
    const next = Math.min(this.#heap.nextDue ?? nextLoad, nextLoad);
    this.#cancel = this.#clock.setTimer(Math.max(leastMs, next - this.#clock.now()), () => this.check());
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
