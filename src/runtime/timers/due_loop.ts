/**
 * What is due by the clock: a heap over the next minute, the rest stays in the database. So 100,000 stored times cost
 * nothing at boot and nothing while they wait.
 */
import { setImmediate } from "node:timers";
import type { Clock, Instant } from "../../base/clock.ts";
import type { Key, Selector, Store } from "../../store/store.ts";
import { TimerHeap } from "./timer_heap.ts";

/** What a loop works with. */
interface DueLoopDeps<T> {
  readonly store: Store;
  readonly clock: Clock;
  /** Stored times before an instant; the second part of their keys is the time. */
  readonly dueBefore: (before: Instant) => Selector;
  readonly itemOf: (key: Key) => T;
  /** Deals with what is due; the next one waits for it. Must not reject. What was dealt with already is ignored by it. */
  readonly fire: (item: T) => void | Promise<unknown>;
  /** Called some time before an item is due. */
  readonly prepare?: (item: T) => void;
  /** Told when the database cannot be read; it is tried again. */
  readonly failed: (error: Error) => void;
}

const HORIZON_MS = 60_000;
/** How long before its time an item is prepared. */
const LEAD_MS = 2_000;
const RETRY_MS = 1_000;
/** Then commits and requests get their turn: some fifty starts. */
const TURN_MS = 3;

/** Fires each item at its time, the earliest first. */
export class DueLoop<T extends { readonly dueAt: Instant }> {
  readonly #deps: DueLoopDeps<T>;
  readonly #heap = new TimerHeap<T>();
  /** Those that are not prepared yet. */
  readonly #later = new TimerHeap<T>();
  #loadedUntil: Instant = -Infinity;
  #cancel: (() => void) | undefined;
  /** When it looks again. */
  #nextLook: Instant = Infinity;
  #isRunning = false;
  #isStopped = true;
  #work: Promise<void> = Promise.resolve();

  constructor(deps: DueLoopDeps<T>) {
    this.#deps = deps;
  }

  /** Whether nothing is fired any more, or not yet. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Fires what is overdue and goes on from there. */
  start(): void {
    this.#isStopped = false;
    this.check();
  }

  /** Takes note of a time that was just stored. */
  add(item: T): void {
    if (this.#isStopped || item.dueAt >= this.#loadedUntil) return;
    if (this.#push(item) < this.#nextLook) this.#arm();
  }

  /** Adds an item once more: what was to be done could not be done yet. */
  retry(item: T): void {
    this.#deps.clock.setTimer(RETRY_MS, () => this.add(item));
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

  /** Gives when it is to be looked at. */
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
    const { clock, fire } = this.#deps;
    let turnEnd = clock.monotonicMs() + TURN_MS;
    for (let item = this.#heap.popDue(clock.now()); item; item = this.#heap.popDue(clock.now())) {
      if (this.#isStopped) return;
      await fire(item);
      if (clock.monotonicMs() < turnEnd) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      turnEnd = clock.monotonicMs() + TURN_MS;
    }
  }

  /** Reads the times of the next minute, once the last minute read is half over. */
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
      // Some may be read twice then; one that has been dealt with already is ignored.
      if (!isRead) this.#loadedUntil = from;
    }
  }

  #arm(leastMs = 0): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#nextLook = Infinity;
    if (this.#isStopped || this.#isRunning) return;
    const { clock } = this.#deps;
    const nextLoad = this.#loadedUntil - HORIZON_MS / 2;
    const nextPrepared = (this.#later.nextDue ?? Infinity) - LEAD_MS;
    const next = Math.min(this.#heap.nextDue ?? nextLoad, nextPrepared, nextLoad);
    const now = clock.now();
    this.#nextLook = Math.max(now + leastMs, next);
    this.#cancel = clock.setTimer(this.#nextLook - now, () => this.check());
  }
}
