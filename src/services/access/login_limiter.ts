/** Limits failed log-ins, to prevent password guessing. */
import type { Instant } from "../../base/clock.ts";
import { DomainError } from "../../model/errors.ts";
import { FAILED_LOGIN_WINDOW_MS, MAX_FAILED_LOGINS } from "../../model/limits.ts";

/** Failed log-ins of one address with any user names. */
const MAX_FAILED_LOGINS_OF_ADDRESS = 10 * MAX_FAILED_LOGINS;
/** Counters in memory; the oldest is dropped first. */
const MAX_COUNTERS = 10_000;

interface Counter {
  failures: number;
  readonly endsAt: Instant;
}

/** Counts failures per user and address, and per address, in windows that begin with the first failure. */
export class LoginLimiter {
  readonly #counters = new Map<string, Counter>();

  /**
   * Counts an attempt as failed until {@link forgive} is called, so concurrent attempts count too.
   * @throws DomainError too_many_requests
   */
  attempt(user: string, address: string, now: Instant): void {
    const ofUser = this.#counter(userKey(user, address), now);
    const ofAddress = this.#counter(address, now);
    const over = ofUser.failures >= MAX_FAILED_LOGINS
      ? ofUser
      : ofAddress.failures >= MAX_FAILED_LOGINS_OF_ADDRESS
      ? ofAddress
      : undefined;
    if (over) {
      const retryAfter = Math.max(1, Math.ceil((over.endsAt - now) / 1000));
      throw new DomainError("too_many_requests", "Too many failed log-ins: try again later", { retryAfter });
    }
    ofUser.failures++;
    ofAddress.failures++;
  }

  /** Call this when the attempt succeeded: resets the failures of the user at that address. */
  forgive(user: string, address: string): void {
    this.#counters.delete(userKey(user, address));
    const ofAddress = this.#counters.get(address);
    if (ofAddress) ofAddress.failures--;
  }

  #counter(key: string, now: Instant): Counter {
    const known = this.#counters.get(key);
    if (known && known.endsAt > now) return known;
    const counter = { failures: 0, endsAt: now + FAILED_LOGIN_WINDOW_MS };
    this.#counters.delete(key);
    this.#counters.set(key, counter);
    if (this.#counters.size > MAX_COUNTERS) {
      const oldest = this.#counters.keys().next();
      if (!oldest.done) this.#counters.delete(oldest.value);
    }
    return counter;
  }
}

/** An address contains no line break, so keys of different addresses never collide. */
function userKey(user: string, address: string): string {
  return `${address}\n${user.slice(0, 200)}`;
}
