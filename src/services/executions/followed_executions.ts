/** Views of executions for event streams: read once per change, shared by all followers. */
import { joinBytes } from "../../base/bytes.ts";
import type { JsonObject } from "../../base/json.ts";
import type { CancelTimer, Clock, Instant } from "../../base/time/clock.ts";
import type { DurationForm } from "../../base/time/duration.ts";
import { Turns } from "../../base/time/turn.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { Execution, TaskRun } from "../../model/executions/execution.ts";
import { executionBodyChunks } from "../../model/executions/execution_body.ts";
import type { TaskRunSigns } from "../../model/executions/execution_delta.ts";
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
  /** Its text with task runs, as `GET` returns it, in UTF-8: the same bytes for all followers. */
  readonly bytes: (durations?: DurationForm) => Promise<Uint8Array>;
  readonly signs: TaskRunSigns;
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

/** Maximum age of a shared view of a small execution: durations in it are at most that old. A change ends it earlier. */
const SHARED_MS = 50;
/** Views of large executions, which take longer to read than that, are shared longer: those of 10,000 task runs for a second. */
const TASK_RUNS_PER_SHARED_MS = 10;
const TURN_MS = 4;

/** An execution and its followers. */
interface Followed {
  followers: number;
  /** The last view, until the next change or until it is too old: it may have many megabytes. */
  view?: Promise<FollowedView | undefined>;
  cancelForget: CancelTimer;
}

/** The followed executions. */
export class FollowedExecutions {
  readonly #deps: FollowedExecutionsDeps;
  readonly #followed = new Map<string, Followed>();
  /** Followers that wait until they are served, and when the last of them is. */
  #waiting = 0;
  #served: Promise<void> = Promise.resolve();
  #turns: Turns;

  constructor(deps: FollowedExecutionsDeps) {
    this.#deps = deps;
    this.#turns = new Turns(deps.clock, TURN_MS);
  }

  /** Number of followed executions. */
  get size(): number {
    return this.#followed.size;
  }

  /** Follows an execution; `changed` is called after each durable change. */
  follow(actor: Actor, id: string, changed: () => void): Follower {
    const followed = this.#join(`${actor.tenant}/${id}`);
    const unsubscribe = this.#deps.changes.subscribe(actor.tenant, id, () => {
      forget(followed);
      changed();
    });
    const leave = () => {
      unsubscribe();
      if (--followed.followers > 0) return;
      this.#followed.delete(`${actor.tenant}/${id}`);
      forget(followed);
    };
    const read = async () => {
      const view = await this.#current(followed, actor, id);
      await this.#turn();
      return view;
    };
    return { read, [Symbol.dispose]: once(leave) };
  }

  /** Waits until the execution exists; false when it does not after `timeoutMs`, or when `signal` is aborted. */
  async exists(actor: Actor, id: string, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const { changes, clock } = this.#deps;
    using follower = this.follow(actor, id, () => {});
    const isThere = async () => await follower.read() !== undefined;
    return await changes.until({ tenant: actor.tenant, id }, isThere, { clock, timeoutMs, signal });
  }

  /** Followers are served one after the other, with turns for everything else: all of them may have waited for one change. */
  async #turn(): Promise<void> {
    if (this.#waiting++ === 0) this.#turns = new Turns(this.#deps.clock, TURN_MS);
    const turns = this.#turns;
    await (this.#served = this.#served.then(() => turns.next()));
    this.#waiting--;
  }

  #join(name: string): Followed {
    const known = this.#followed.get(name);
    const followed: Followed = known ?? { followers: 0, cancelForget: () => {} };
    followed.followers++;
    this.#followed.set(name, followed);
    return followed;
  }

  #current(followed: Followed, actor: Actor, id: string): Promise<FollowedView | undefined> {
    if (followed.view) return followed.view;
    const view = this.#read(actor, id);
    followed.view = view;
    const isCurrent = () => followed.view === view;
    view.then((found) => {
      if (!isCurrent()) return;
      const sharedMs = SHARED_MS + (found?.execution.taskRuns.length ?? 0) / TASK_RUNS_PER_SHARED_MS;
      followed.cancelForget = this.#deps.clock.setTimer(sharedMs, () => forget(followed));
    }, () => isCurrent() && forget(followed));
    return view;
  }

  async #read(actor: Actor, id: string): Promise<FollowedView | undefined> {
    const found = await undefinedIfMissing(() => this.#deps.read(actor, id));
    return found && new View(found, this.#deps.clock);
  }
}

function forget(followed: Followed): void {
  followed.cancelForget();
  followed.view = undefined;
}

const ENCODER = new TextEncoder();

/** Its texts are made on first access, once. */
class View implements FollowedView {
  readonly execution: Execution;
  readonly waiting: JsonObject | undefined;
  readonly hiddenTaskRuns: number;
  readonly hasEnded: boolean;
  readonly now: Instant;
  readonly signs: TaskRunSigns = new Map();
  readonly #clock: Clock;
  readonly #bytes = new Map<DurationForm, Promise<Uint8Array>>();

  constructor({ execution, waiting, hiddenTaskRuns = 0 }: ReadExecution, clock: Clock) {
    this.execution = execution;
    this.waiting = waiting;
    this.hiddenTaskRuns = hiddenTaskRuns;
    this.hasEnded = isEnded(execution.history);
    this.now = clock.now();
    this.#clock = clock;
  }

  bytes(durations: DurationForm = "seconds"): Promise<Uint8Array> {
    const known = this.#bytes.get(durations);
    if (known) return known;
    const bytes = this.#encode(durations);
    this.#bytes.set(durations, bytes);
    return bytes;
  }

  async #encode(durations: DurationForm): Promise<Uint8Array> {
    const { execution, waiting, hiddenTaskRuns, now } = this;
    const turns = new Turns(this.#clock, TURN_MS);
    const parts: Uint8Array[] = [];
    const form = { now, durations, waiting, hiddenTaskRuns };
    for await (const text of executionBodyChunks(execution, eachOf(execution.taskRuns), form)) {
      parts.push(ENCODER.encode(text));
      await turns.next();
    }
    return joinBytes(parts);
  }
}

async function* eachOf(taskRuns: readonly TaskRun[]): AsyncGenerator<TaskRun> {
  yield* taskRuns;
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}
