/**
 * Fires stored items at their due times. Only those of the next minute are in memory, in a heap: 100,000 stored times cost
 * nothing at boot and nothing while they wait.
 */
import type { Clock, Instant } from "../../base/time/clock.ts";
import { Turns } from "../../base/time/turn.ts";
import type { Key, Selector, Store } from "../../store/store.ts";
import { TimerHeap } from "./timer_heap.ts";

interface DueLoopDeps<T> {
  readonly store: Store;
  readonly clock: Clock;
  /** Selects the stored items before an instant; the second part of their keys is the due time. */
  readonly dueBefore: (before: Instant) => Selector;
  readonly itemOf: (key: Key) => T;
  /** Fires a due item. Must not reject, and must ignore an item that was fired before. */
  readonly fire: (item: T) => void | Promise<unknown>;
  /** Items that are fired at a time, earliest first; by default the next item waits for the one before. */
  readonly maxAtOnce?: number;
  /** Called {@link LEAD_MS} before an item is due. */
  readonly prepare?: (item: T) => void;
  /** Called if the database cannot be read; the read is retried. */
  readonly failed: (error: Error) => void;
}

const HORIZON_MS = 60_000;
/** How long before its due time an item is prepared. */
const LEAD_MS = 2_000;
const RETRY_MS = 1_000;
/** Time, some fifty starts, after which the loop yields to commits and requests. */
const TURN_MS = 3;

/** Fires each item at its due time, earliest first. */
export class DueLoop<T extends { readonly dueAt: Instant }> {
  readonly #deps: DueLoopDeps<T>;
  readonly #heap = new TimerHeap<T>();
  /** Items not prepared yet. */
  readonly #later = new TimerHeap<T>();
  #loadedUntil: Instant = -Infinity;
  #cancel: (() => void) | undefined;
  /** Time of the next check. */
  #nextCheck: Instant = Infinity;
  #isRunning = false;
  #isStopped = true;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: DueLoopDeps<T>) {
    this.#deps = deps;
  }

  /** True before {@link start} and after {@link stop}: nothing is fired. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Fires overdue items, then each further one when it is due. */
  start(): void {
    this.#isStopped = false;
    this.check();
  }

  /** Adds an item that was just stored. */
  add(item: T): void {
    if (this.#isStopped || item.dueAt >= this.#loadedUntil) return;
    if (this.#push(item) < this.#nextCheck) this.#arm();
  }

  /** Adds an item again that could not be fired yet. */
  retry(item: T): void {
    this.#deps.clock.setTimer(RETRY_MS, () => this.add(item));
  }

  /** Checks the time now: after a jump of the clock, or if the platform did not keep a timer. */
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
      this.#prepareSoon();
      await this.#fireDue();
    } catch (error) {
      this.#deps.failed(error as Error);
      leastMs = RETRY_MS;
    } finally {
      this.#isRunning = false;
      this.#arm(leastMs);
    }
  }

  /** Adds an item; returns when it is to be fired or prepared. */
  #push(item: T): Instant {
    const { prepare, clock } = this.#deps;
    const isLater = prepare !== undefined && item.dueAt > clock.now() + LEAD_MS;
    (isLater ? this.#later : this.#heap).push(item);
    return isLater ? item.dueAt - LEAD_MS : item.dueAt;
  }

  #prepareSoon(): void {
    const soon = this.#deps.clock.now() + LEAD_MS;
    for (let item = this.#later.popDue(soon); item; item = this.#later.popDue(soon)) {
      this.#heap.push(item);
      this.#deps.prepare?.(item);
    }
  }

  async #fireDue(): Promise<void> {
    const { clock, fire, maxAtOnce = 1 } = this.#deps;
    const turns = new Turns(clock, TURN_MS);
    const fireNext = async () => {
      for (let item = this.#heap.popDue(clock.now()); item; item = this.#heap.popDue(clock.now())) {
        if (this.#isStopped) return;
        await fire(item);
        await turns.next();
      }
    };
    await Promise.all(Array.from({ length: maxAtOnce }, fireNext));
  }

  /** Reads the items of the next minute, once half of the minute read before has passed. */
  async #load(): Promise<void> {
    const { clock, store, dueBefore, itemOf } = this.#deps;
    const now = clock.now();
    if (this.#loadedUntil > now + HORIZON_MS / 2) return;
    const until = now + HORIZON_MS;
    const from = this.#loadedUntil;
    this.#loadedUntil = until;
    let isRead = false;
    try {
      for await (const { key } of store.list(dueBefore(until))) {
        if (Number(key[1]) >= from) this.#push(itemOf(key));
      }
      isRead = true;
    } finally {
      // Some may be read twice then; an item that was fired before is ignored.
      if (!isRead) this.#loadedUntil = from;
    }
  }

  #arm(leastMs = 0): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#nextCheck = Infinity;
    if (this.#isStopped || this.#isRunning) return;
    const { clock } = this.#deps;
    const nextLoad = this.#loadedUntil - HORIZON_MS / 2;
    const nextPrepared = (this.#later.nextDue ?? Infinity) - LEAD_MS;
    const next = Math.min(this.#heap.nextDue ?? nextLoad, nextPrepared, nextLoad);
    const now = clock.now();
    this.#nextCheck = Math.max(now + leastMs, next);
    this.#cancel = clock.setTimer(this.#nextCheck - now, () => this.check());
  }
}
