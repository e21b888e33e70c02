/** Wakes a process when another one has sent it something by way of the database. */
import type { CancelTimer, Clock } from "../../base/clock.ts";
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

/** Rings after each message, and every two seconds while it is in use. */
export class Bell implements Disposable {
  readonly #options: BellOptions;
  #rung = Promise.withResolvers<void>();
  #users = 0;
  #stopWatching: () => void = () => {};
  #cancelTimer: CancelTimer = () => {};

  constructor(options: BellOptions) {
    this.#options = options;
  }

  /** Begins the use; the result ends it. The database is watched while there is a user. */
  use(): () => void {
    if (this.#users++ === 0) this.#start();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#users === 0) this.#stop();
    };
  }

  /** Settles at the next ring. */
  next(): Promise<void> {
    return this.#rung.promise;
  }

  /** Ends all waits. */
  [Symbol.dispose](): void {
    this.#stop();
  }

  #start(): void {
    const { store, process } = this.#options;
    this.#stopWatching = watchBell(store, process, () => this.#ring());
    this.#lookLater();
  }

  #stop(): void {
    this.#stopWatching();
    this.#stopWatching = () => {};
    this.#cancelTimer();
    this.#ring();
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
