/** Limits failed log-ins, to prevent password guessing. */
import type { Instant } from "../../base/clock.ts";
import { DomainError } from "../../model/errors.ts";
import { FAILED_LOGIN_WINDOW_MS, MAX_FAILED_LOGINS } from "../../model/limits.ts";

/** Failed log-ins of one network with any user names; bounds the names that are counted for it. */
const MAX_FAILED_LOGINS_OF_NETWORK = 10 * MAX_FAILED_LOGINS;
/**
 * Networks with failures. A window of a minute has time for some 500 hashes, so no counter is dropped before its window
 * has ended, whatever names and addresses an attacker uses.
 */
const MAX_NETWORKS = 10_000;
const MAX_NAME_LENGTH = 200;

interface Counter {
  failures: number;
  readonly ofUsers: Map<string, number>;
  readonly endsAt: Instant;
}

/** A user name at a network, as `networkOf` gives it. */
interface LoginPlace {
  readonly user: string;
  readonly network: string;
}

/** Counts failures per network, and per user and network, in windows that begin with the first failure of the network. */
export class LoginLimiter {
  /** In order of their ends. */
  readonly #counters = new Map<string, Counter>();

  /** Refuses further attempts after too many failures; counts nothing. @throws DomainError too_many_requests */
  check({ user, network }: LoginPlace, now: Instant): void {
    const counter = this.#counters.get(network);
    if (!counter || counter.endsAt <= now) return;
    const ofUser = counter.ofUsers.get(nameOf(user)) ?? 0;
    if (ofUser < MAX_FAILED_LOGINS && counter.failures < MAX_FAILED_LOGINS_OF_NETWORK) return;
    const retryAfter = Math.max(1, Math.ceil((counter.endsAt - now) / 1000));
    throw new DomainError("too_many_requests", "Too many failed log-ins: try again later", { retryAfter });
  }

  /**
   * Call this when a password is compared: it counts as failed until {@link forgive} is called, so concurrent attempts
   * count too.
   * @throws DomainError too_many_requests, uncounted
   */
  attempt(place: LoginPlace, now: Instant): void {
    this.check(place, now);
    const counter = this.#counterOf(place.network, now);
    const name = nameOf(place.user);
    counter.ofUsers.set(name, (counter.ofUsers.get(name) ?? 0) + 1);
    counter.failures++;
  }

  /** Call this when the attempt succeeded: resets the failures of the user at that network. */
  forgive({ user, network }: LoginPlace): void {
    const counter = this.#counters.get(network);
    if (!counter) return;
    counter.ofUsers.delete(nameOf(user));
    counter.failures--;
  }

  #counterOf(network: string, now: Instant): Counter {
    const known = this.#counters.get(network);
    if (known && known.endsAt > now) return known;
    this.#counters.delete(network);
    this.#dropEnded(now);
    const counter = { failures: 0, ofUsers: new Map(), endsAt: now + FAILED_LOGIN_WINDOW_MS };
    this.#counters.set(network, counter);
    return counter;
  }

  #dropEnded(now: Instant): void {
    for (const [network, { endsAt }] of this.#counters) {
      if (endsAt > now && this.#counters.size < MAX_NETWORKS) return;
      this.#counters.delete(network);
    }
  }
}

function nameOf(user: string): string {
  return user.slice(0, MAX_NAME_LENGTH);
}
