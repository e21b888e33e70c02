/** Finds out what keeps the server from its work, for health checks and pages. */
import type { Clock, Instant } from "../base/time/clock.ts";
import type { ServerProblem } from "../model/server_health.ts";
import type { Committer } from "../store/committer.ts";
import { META_KEY } from "../store/keys.ts";
import type { Store } from "../store/store.ts";

interface ProblemsDeps {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
}

/** Looks at the committer and reads one key of the database. */
export class Problems {
  readonly #deps: ProblemsDeps;
  #unreadableSince: Instant | undefined;

  constructor(deps: ProblemsDeps) {
    this.#deps = deps;
  }

  /** The problem that the server has now; `undefined` when it has none. Does not reject. */
  async find(): Promise<ServerProblem | undefined> {
    const { store, committer, clock } = this.#deps;
    if (committer.problem?.stopsReads) return committer.problem;
    try {
      await store.get(META_KEY);
    } catch {
      this.#unreadableSince ??= clock.now();
      return { reason: "the database cannot be read", since: this.#unreadableSince, stopsReads: true };
    }
    this.#unreadableSince = undefined;
    return committer.problem;
  }
}
