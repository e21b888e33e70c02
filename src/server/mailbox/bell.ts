/** Wakes a process when another one has sent it something by way of the database. */
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { watchBell } from "../../store/records/mailbox_records.ts";
import type { Store } from "../../store/store.ts";

interface BellOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Name of the process. */
  readonly process: string;
}

/** Changes can be missed, for example while the database restarts. */
const LOOK_INTERVAL_MS = 2_000;
/**
 * The watch lasts this long after the last use: a database server sends the first part of a new one in two packets, and the second
 * waits 40 ms for the delayed acknowledgement of the first.
 */
const KEEP_MS = 60_000;

/** Rings after each message, and every two seconds while it is in use. */
export class Bell implements Disposable {
  readonly #options: BellOptions;
  #rung = Promise.withResolvers<void>();
  #users = 0;
  /** Absent: the database is not watched. */
  #stopWatching: (() => void) | undefined;
  #cancelTimer: CancelTimer = () => {};

  constructor(options: BellOptions) {
    this.#options = options;
  }

  /** Begins the use; the result ends it. The database is watched while there is a user, and a minute longer. */
  use(): () => void {
    if (this.#users++ === 0) this.#start();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#users === 0) this.#endUse();
    };
  }

  /** Settles at the next ring. */
  next(): Promise<void> {
    return this.#rung.promise;
  }

  /** Ends all waits. */
  [Symbol.dispose](): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    this.#cancelTimer();
    this.#ring();
  }

  #start(): void {
    const { store, process } = this.#options;
    this.#cancelTimer();
    this.#stopWatching ??= watchBell(store, process, () => this.#ring());
    this.#lookLater();
  }

  #endUse(): void {
    this.#cancelTimer();
    if (!this.#stopWatching) return;
    this.#cancelTimer = this.#options.clock.setTimer(KEEP_MS, () => this[Symbol.dispose]());
  }

  #ring(): void {
    this.#rung.resolve();
    this.#rung = Promise.withResolvers();
  }

  #lookLater(): void {
    this.#cancelTimer = this.#options.clock.setTimer(LOOK_INTERVAL_MS, () => {
      this.#ring();
      this.#lookLater();
    });
  }
}
