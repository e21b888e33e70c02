/**
 * Sessions of browsers: a cookie carries an opaque value instead of the password. They are in memory: a restart of the
 * server ends them all, and no copy of its data contains one.
 */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { RandomBytes } from "../../base/id.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "../../model/limits.ts";
import type { Caller } from "./caller.ts";

interface Session {
  readonly caller: Caller;
  readonly openedAt: Instant;
  lastUsedAt: Instant;
}

/** Open sessions; beyond it the oldest one ends. */
const MAX_SESSIONS = 10_000;
/** Of one user; beyond it the user's oldest one ends, so that frequent log-ins do not end those of others. */
const MAX_SESSIONS_OF_USER = 200;
const VALUE_BYTES = 32;

/** The open sessions of the server. */
export class Sessions {
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;
  /** By value, in the order in which they were opened. */
  readonly #sessions = new Map<string, Session>();
  /** Their values by user, in the same order. */
  readonly #valuesOf = new Map<string, Set<string>>();

  constructor(clock: Clock, randomBytes: RandomBytes) {
    this.#clock = clock;
    this.#randomBytes = randomBytes;
  }

  /** Opens a session; returns its value, which cannot be guessed. */
  open(caller: Caller): string {
    const now = this.#clock.now();
    this.#makeRoom(now);
    this.#makeRoomOf(caller.user);
    const bytes = new Uint8Array(VALUE_BYTES);
    this.#randomBytes(bytes);
    const value = bytes.toBase64({ alphabet: "base64url", omitPadding: true });
    this.#sessions.set(value, { caller, openedAt: now, lastUsedAt: now });
    this.#valuesOf.set(caller.user, (this.#valuesOf.get(caller.user) ?? new Set()).add(value));
    return value;
  }

  /** The caller of an open session, which this use prolongs. */
  find(value: string): Caller | undefined {
    const session = this.#sessions.get(value);
    if (!session) return undefined;
    const now = this.#clock.now();
    if (now >= session.openedAt + SESSION_MAX_MS || now >= session.lastUsedAt + SESSION_IDLE_MS) {
      this.close(value);
      return undefined;
    }
    session.lastUsedAt = now;
    return session.caller;
  }

  /** Ends a session; without effect if it is not open. */
  close(value: string): void {
    const session = this.#sessions.get(value);
    if (!session) return;
    this.#sessions.delete(value);
    const { user } = session.caller;
    const values = this.#valuesOf.get(user);
    values?.delete(value);
    if (values?.size === 0) this.#valuesOf.delete(user);
  }

  #makeRoomOf(user: string): void {
    const own = this.#valuesOf.get(user);
    if (!own || own.size < MAX_SESSIONS_OF_USER) return;
    const [oldest] = own;
    if (oldest !== undefined) this.close(oldest);
  }

  #makeRoom(now: Instant): void {
    for (const [value, { openedAt }] of this.#sessions) {
      if (this.#sessions.size < MAX_SESSIONS && now < openedAt + SESSION_MAX_MS) return;
      this.close(value);
    }
  }
}
