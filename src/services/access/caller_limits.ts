/** Limits what callers hold open at a time, such as event streams, so that one caller or tenant cannot take all of it. */
import type { Actor } from "../../model/access/actor.ts";
import { ANONYMOUS } from "../../model/access/user.ts";
import { DomainError } from "../../model/errors.ts";

/** Largest numbers that may be open at a time. */
interface CallerBounds {
  readonly all: number;
  readonly perTenant: number;
  readonly perCaller: number;
}

/** Whom something is open for; without a user only the tenant counts. */
type Holder = Pick<Actor, "tenant"> & Partial<Pick<Actor, "user">>;

/** `Retry-After` of a refused caller, in seconds. */
const RETRY_AFTER_S = 10;

/** Counts of one kind of what callers hold open. */
export class CallerLimits {
  readonly #what: string;
  readonly #bounds: CallerBounds;
  #all = 0;
  readonly #ofTenants = new Map<string, number>();
  readonly #ofUsers = new Map<string, number>();

  /** `what` completes the message "Cannot open another …". */
  constructor(what: string, bounds: CallerBounds) {
    this.#what = what;
    this.#bounds = bounds;
  }

  /**
   * Counts one until the result is disposed; without a holder only the bound of all counts.
   * @throws DomainError unavailable: all have too many; too_many_requests: the tenant or the user has too many
   */
  take(holder?: Holder): Disposable {
    const { all, perTenant, perCaller } = this.#bounds;
    if (this.#all >= all) throw this.#refusal("unavailable", `${all} are open`);
    // A server without a login cannot tell its callers apart.
    const { tenant, user } = holder?.user === ANONYMOUS ? {} : holder ?? {};
    if (tenant !== undefined && (this.#ofTenants.get(tenant) ?? 0) >= perTenant) {
      throw this.#refusal("too_many_requests", `the tenant "${tenant}" has ${perTenant}`);
    }
    if (user !== undefined && (this.#ofUsers.get(user) ?? 0) >= perCaller) {
      throw this.#refusal("too_many_requests", `the user "${user}" has ${perCaller}`);
    }
    const add = (change: 1 | -1) => {
      this.#all += change;
      if (tenant !== undefined) addTo(this.#ofTenants, tenant, change);
      if (user !== undefined) addTo(this.#ofUsers, user, change);
    };
    add(1);
    return { [Symbol.dispose]: () => add(-1) };
  }

  #refusal(code: "unavailable" | "too_many_requests", reason: string): DomainError {
    return new DomainError(code, `Cannot open another ${this.#what}: ${reason}`, {
      retryAfter: RETRY_AFTER_S,
    });
  }
}

function addTo(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}
