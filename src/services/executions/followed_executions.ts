/** Executions as those see them who follow their changes: read once for each change, however many look at it. */
import type { Clock, Instant } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { executionBody } from "../../model/executions/execution_body.ts";
import { isEnded } from "../../model/executions/state.ts";
import type { Changes } from "../../store/changes.ts";
import { undefinedIfMissing } from "../../model/errors.ts";

/** What is looked at by several: nobody may change it. */
export interface FollowedView {
  readonly execution: Execution;
  /** Why it does not go on. */
  readonly waiting?: JsonObject;
  readonly hasEnded: boolean;
  /** When it was read. */
  readonly now: Instant;
  /** Its text with task runs, as `GET` answers it. */
  readonly body: string;
}

/** What looking needs. */
interface FollowedExecutionsDeps {
  /** @throws DomainError not_found */
  readonly read: (
    actor: Actor,
    id: string,
  ) => Promise<{ readonly execution: Execution; readonly waiting?: JsonObject }>;
  readonly changes: Changes;
  readonly clock: Clock;
}

/** One follower. Dispose of it to hear of nothing more. */
export interface Follower extends Disposable {
  /** The execution as it is now, `undefined` when there is none (any more). */
  readonly read: () => Promise<FollowedView | undefined>;
}

/** How long a view serves others: durations in it are that old at the most, and changes that come faster are joined anyway. */
const SHARED_MS = 50;

/** One execution with all who follow it. */
interface Followed {
  followers: number;
  /** What was seen last, until the next change. */
  view?: Promise<FollowedView | undefined>;
  seenAtMs: number;
}

/** The executions that are followed. */
export class FollowedExecutions {
  readonly #deps: FollowedExecutionsDeps;
  readonly #followed = new Map<string, Followed>();

  constructor(deps: FollowedExecutionsDeps) {
    this.#deps = deps;
  }

  /** Executions that somebody follows. */
  get size(): number {
    return this.#followed.size;
  }

  /** Begins to follow; `changed` is called after each durable change. */
  follow(actor: Actor, id: string, changed: () => void): Follower {
    const followed = this.#join(`${actor.tenant}/${id}`);
    const unsubscribe = this.#deps.changes.subscribe(actor.tenant, id, () => {
      followed.view = undefined;
      changed();
    });
    const leave = () => {
      unsubscribe();
      if (--followed.followers === 0) this.#followed.delete(`${actor.tenant}/${id}`);
    };
    return { read: () => this.#current(followed, actor, id), [Symbol.dispose]: once(leave) };
  }

  /** Waits until the execution exists; false when it does not after `timeoutMs`, or when `signal` is aborted. */
  async exists(actor: Actor, id: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const { changes, clock } = this.#deps;
    using follower = this.follow(actor, id, () => {});
    const isThere = async () => await follower.read() !== undefined;
    return await changes.until({ tenant: actor.tenant, id }, isThere, { clock, timeoutMs, signal });
  }

  #join(name: string): Followed {
    const known = this.#followed.get(name);
    const followed: Followed = known ?? { followers: 0, seenAtMs: 0 };
    followed.followers++;
    this.#followed.set(name, followed);
    return followed;
  }

  #current(followed: Followed, actor: Actor, id: string): Promise<FollowedView | undefined> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (followed.view && nowMs - followed.seenAtMs < SHARED_MS) return followed.view;
    const view = this.#read(actor, id);
    followed.view = view;
    followed.seenAtMs = nowMs;
    view.catch(() => {
      if (followed.view === view) followed.view = undefined;
    });
    return view;
  }

  async #read(actor: Actor, id: string): Promise<FollowedView | undefined> {
    const found = await undefinedIfMissing(() => this.#deps.read(actor, id));
    return found && new View(found.execution, found.waiting, this.#deps.clock.now());
  }
}

/** Written out when somebody asks, and then once. */
class View implements FollowedView {
  readonly hasEnded: boolean;
  #body: string | undefined;

  constructor(
    readonly execution: Execution,
    readonly waiting: JsonObject | undefined,
    readonly now: Instant,
  ) {
    this.hasEnded = isEnded(execution.history);
  }

  get body(): string {
    const { execution, waiting, now } = this;
    return this.#body ??= executionBody(execution, { now, taskRuns: true, waiting });
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
