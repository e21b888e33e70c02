/** Connections to the leader that have carried a request and can carry another one. */
import type { Clock } from "../../base/time/clock.ts";
import type { LeaderConnection } from "./leader_connection.ts";

/**
 * A connection that has rested longer is not used again. A server closes none that has been idle for less than a second, and
 * waits for that when it stops in order: what was sent on a connection that it closes meanwhile may have been handled, or not.
 */
export const MAX_REST_MS = 500;
/** Further ones are closed. */
const MAX_IDLE = 32;

interface IdleConnection {
  readonly connection: LeaderConnection;
  readonly sinceMs: number;
}

/** The idle connections of one process, to one address. */
export class IdleConnections implements Disposable {
  readonly #clock: Clock;
  #url: string | undefined;
  #idle: IdleConnection[] = [];
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The connection to the address that was used last; `undefined`: none is open, or all have rested too long. */
  take(url: string): LeaderConnection | undefined {
    if (url !== this.#url) this.#closeAll();
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      const { connection, sinceMs } = last;
      if (connection.isClosed) continue;
      if (this.#clock.monotonicMs() - sinceMs <= MAX_REST_MS) return connection;
      connection.close();
    }
    return undefined;
  }

  /** Keeps a connection to the address, whose last response has been read to its end. */
  put(url: string, connection: LeaderConnection): void {
    if (url !== this.#url) this.#closeAll();
    this.#url = url;
    this.#idle = this.#idle.filter((each) => !each.connection.isClosed);
    if (this.#isOver || this.#idle.length >= MAX_IDLE) return connection.close();
    connection.rest();
    this.#idle.push({ connection, sinceMs: this.#clock.monotonicMs() });
  }

  /** Closes all, and those that come later. */
  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#closeAll();
  }

  #closeAll(): void {
    for (const { connection } of this.#idle) connection.close();
    this.#idle = [];
  }
}
