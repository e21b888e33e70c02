/** Views of executions for event streams: read once per change, shared by all followers. */
import type { Clock, Instant } from "../../base/time/clock.ts";
import type { DurationForm } from "../../base/time/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { executionBody } from "../../model/executions/execution_body.ts";
import { isEnded } from "../../model/executions/state.ts";
import type { Changes } from "../../store/changes.ts";
import { undefinedIfMissing } from "../../model/errors.ts";

/** A shared view; must not be changed. */
export interface FollowedView {
  readonly execution: Execution;
  /** What the execution waits for. */
  readonly waiting?: JsonObject;
  /** Number of task runs that it does not show. */
  readonly hiddenTaskRuns: number;
  readonly hasEnded: boolean;
  /** When it was read. */
  readonly now: Instant;
  /** Its text with task runs, as `GET` returns it. */
  readonly body: (durations?: DurationForm) => string;
}

interface ReadExecution {
  readonly execution: Execution;
  readonly waiting?: JsonObject;
  readonly hiddenTaskRuns?: number;
}

interface FollowedExecutionsDeps {
  /** @throws DomainError not_found */
  readonly read: (
    actor: Actor,
    id: string,
  ) => Promise<ReadExecution>;
  readonly changes: Changes;
  readonly clock: Clock;
}

/** One follower; disposing of it unsubscribes. */
export interface Follower extends Disposable {
  /** The current view; `undefined` if the execution does not exist (any more). */
  readonly read: () => Promise<FollowedView | undefined>;
}

/** Maximum age of a shared view: durations in it are at most that old, and faster changes are merged anyway. */
const SHARED_MS = 50;

/** An execution and its followers. */
interface Followed {
  followers: number;
  /** The last view, until the next change. */
  view?: Promise<FollowedView | undefined>;
  seenAtMs: number;
}

/** The followed executions. */
export class FollowedExecutions {
  readonly #deps: FollowedExecutionsDeps;
  readonly #followed = new Map<string, Followed>();

  constructor(deps: FollowedExecutionsDeps) {
    this.#deps = deps;
  }

  /** Number of followed executions. */
  get size(): number {
    return this.#followed.size;
  }

  /** Follows an execution; `changed` is called after each durable change. */
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
    return found && new View(found, this.#deps.clock.now());
  }
}

/** Its texts are made on first access, once. */
class View implements FollowedView {
  readonly execution: Execution;
  readonly waiting: JsonObject | undefined;
  readonly hiddenTaskRuns: number;
  readonly hasEnded: boolean;
  readonly #bodies = new Map<DurationForm, string>();

  constructor({ execution, waiting, hiddenTaskRuns = 0 }: ReadExecution, readonly now: Instant) {
    this.execution = execution;
    this.waiting = waiting;
    this.hiddenTaskRuns = hiddenTaskRuns;
    this.hasEnded = isEnded(execution.history);
  }

  body(durations: DurationForm = "seconds"): string {
    const known = this.#bodies.get(durations);
    if (known !== undefined) return known;
    const { execution, waiting, hiddenTaskRuns, now } = this;
    const body = executionBody(execution, { now, durations, taskRuns: true, waiting, hiddenTaskRuns });
    this.#bodies.set(durations, body);
    return body;
  }
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
