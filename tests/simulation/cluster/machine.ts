/** A machine with one process: its clock and its connection to the database. It can be frozen, suspended and killed. */
import type { CancelTimer, Clock } from "../../../src/base/time/clock.ts";
import type { Atomic, Key, ListOptions, Selector, Store, StoredEntry } from "../../../src/store/store.ts";
import type { FakeClock } from "../../support/fakes/fake_clock.ts";

/** Its process stands still while it is frozen: no timer fires, and nothing reaches the database or comes from it. */
export class Machine implements Clock, Store {
  readonly hasQueue = false;
  readonly landsLate = true;
  isDead = false;
  readonly #clock: FakeClock;
  readonly #store: Store;
  /** Time of the monotonic clock in suspensions. */
  #suspendedMs = 0;
  #frozenAtMs: number | undefined;
  #thawed: PromiseWithResolvers<void> | undefined;

  constructor(clock: FakeClock, store: Store) {
    this.#clock = clock;
    this.#store = store;
  }

  /** Whether its process runs. */
  get isRunning(): boolean {
    return !this.isDead && !this.#thawed;
  }

  /** Stops its process until {@link thaw}. */
  freeze(): void {
    if (this.#thawed) return;
    this.#thawed = Promise.withResolvers();
    this.#frozenAtMs = this.#clock.monotonicMs();
  }

  /** Continues; after a suspension the monotonic clock has not advanced. */
  thaw(wasSuspended: boolean): void {
    if (wasSuspended && this.#frozenAtMs !== undefined) {
      this.#suspendedMs += this.#clock.monotonicMs() - this.#frozenAtMs;
    }
    this.#thawed?.resolve();
    this.#thawed = undefined;
  }

  /** Ends its process for good. */
  kill(): void {
    this.isDead = true;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs() - this.#suspendedMs;
  }

  setTimer(delayMs: number, callback: () => void): CancelTimer {
    let isOver = false;
    const fire = async () => {
      if (this.#thawed) await this.#alive();
      if (!isOver && !this.isDead) callback();
    };
    const cancel = this.#clock.setTimer(delayMs, () => void fire());
    return () => {
      isOver = true;
      cancel();
    };
  }

  get(key: Key): Promise<StoredEntry | null> {
    return this.#reached(() => this.#store.get(key));
  }

  getMany(keys: readonly Key[]): Promise<(StoredEntry | null)[]> {
    return this.#reached(() => this.#store.getMany(keys));
  }

  async *list(selector: Selector, options?: ListOptions): AsyncIterable<StoredEntry> {
    yield* await this.#reached(() => Array.fromAsync(this.#store.list(selector, options)));
  }

  commit(atomic: Atomic): Promise<string | null> {
    return this.#reached(() => this.#store.commit(atomic));
  }

  watch(key: Key, onChange: () => void): () => void {
    return this.#store.watch(key, () => this.isRunning && onChange());
  }

  listenQueue(): Promise<void> {
    return Promise.reject(new Error("it has no queue"));
  }

  releaseReserve(): Promise<boolean> {
    return Promise.resolve(false);
  }

  findDiskProblem(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  freeBytes(): Promise<number> {
    return Promise.resolve(Infinity);
  }

  close(): void {}

  /** The result of a call, unless the process is dead. */
  async #reached<Result>(call: () => Promise<Result>): Promise<Result> {
    if (!this.isRunning) await this.#alive();
    try {
      return await call();
    } finally {
      if (!this.isRunning) await this.#alive();
    }
  }

  async #alive(): Promise<void> {
    while (this.#thawed) await this.#thawed.promise;
    if (this.isDead) await new Promise<never>(() => {});
  }
}
