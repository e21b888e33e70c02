/**
 * Events on their way to executions that may not be in memory: messages of other executions, and the start of those that got
 * a slot. While a target cannot be read, what is for it waits in memory, in order, and is tried again. After a crash, messages
 * are found in the store, and slots are granted again.
 */
import type { CancelTimer, Clock } from "../base/time/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Event } from "../engine/events.ts";
import { DomainError, isTooLarge } from "../model/errors.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { Store } from "../store/store.ts";
import { type ChildReader, withChildOutputs } from "./children/child_outputs.ts";
import { goneReply } from "./children/child_restart.ts";
import type { BackgroundWork } from "./live/background_work.ts";
import { type LiveExecution, liveKey, nextCommit, type Receipt } from "./live/live_execution.ts";
import type { StoredMessage } from "./live/messages.ts";
import type { Slots } from "./live/slots.ts";

/** Names an execution. */
export interface Target {
  readonly tenant: string;
  readonly id: string;
}

/** An execution that got a slot of its flow. */
type Granted = Target & Pick<Execution, "namespace" | "flowId">;

/** An execution that has an event to apply. */
export interface Given {
  readonly live: LiveExecution;
  /** Resolves once the event is durable or refused; with the error if the database refuses the commit. */
  readonly settled: Promise<Error | undefined>;
}

interface DeliveriesDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Store;
  readonly committer: Committer;
  readonly changes: Changes;
  readonly work: BackgroundWork;
  readonly slots: Pick<Slots, "holds" | "release">;
  readonly find: (target: Target) => Promise<LiveExecution | undefined>;
  /** Adds an event to an execution; `undefined` if it does not exist or is being deleted. @throws Error it cannot be read */
  readonly give: (target: Target, event: Event, receipt?: Receipt) => Promise<Given | undefined>;
  readonly isDeleting: (target: Target) => boolean;
  readonly childrenOf: (tenant: string) => ChildReader;
}

/** What follows once the target has its event, or is gone; what is next for it does not wait for that. */
type Rest = () => Promise<void>;

interface Delivery {
  /** @throws Error the target cannot be read: nothing has changed */
  readonly give: () => Promise<Rest | void>;
  /** Called with the rest, or without it when the delivery begins to wait. */
  done: (rest?: Promise<void>) => void;
}

/** What is to be delivered to one execution, in order. */
interface Queue {
  readonly key: string;
  readonly target: Target;
  left: Delivery[];
  failures: number;
  /** Present while it waits for the next try. */
  cancel?: CancelTimer;
}

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 8_000;
/** Deliveries that wait at most. Each keeps its event; the outputs of a child are most of it. */
const MAX_WAITING = 10_000;

/** Delivers events, those to one execution one after the other. */
export class Deliveries {
  readonly #deps: DeliveriesDeps;
  readonly #queues = new Map<string, Queue>();
  #count = 0;
  #isStopped = false;

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
  }

  /**
   * Delivers a message of another execution. Resolves once its consequences are durable and its key is deleted, or once it
   * is known that this takes longer. Never rejects.
   */
  deliver(message: StoredMessage): Promise<void> {
    return this.#deps.work.track(this.#deliver(message));
  }

  /** Starts an execution that got a slot, unless it loses that before; one that was deleted releases it. */
  start(granted: Granted): void {
    const { slots, work } = this.#deps;
    const started = this.inTurn(granted, async () => {
      if (!slots.holds(granted)) return;
      const given = await this.#give(granted, { type: "started" });
      if (!given) return slots.release(granted);
      return () => this.#settle(given, () => this.start(granted));
    });
    work.track(started);
  }

  /**
   * Calls `give` after what was to be delivered to the execution before, and again until it does not reject. Resolves with
   * what follows, or once it waits.
   */
  inTurn(target: Target, give: Delivery["give"]): Promise<void> {
    const { promise, resolve: done } = Promise.withResolvers<void>();
    const key = liveKey(target.tenant, target.id);
    const known = this.#queues.get(key);
    const queue = known ?? { key, target, left: [], failures: 0 };
    const delivery = { give, done };
    queue.left.push(delivery);
    this.#count++;
    if (!known) {
      this.#queues.set(key, queue);
      void this.#run(queue);
    } else if (queue.cancel) this.#keep(delivery);
    return promise;
  }

  /** Forgets what is for executions of a tenant that is being removed. */
  forgetTenant(tenant: string): void {
    for (const queue of this.#queues.values()) if (queue.target.tenant === tenant) this.#drop(queue);
  }

  /** Forgets what waits; what comes later is tried once. */
  stop(): void {
    this.#isStopped = true;
    for (const queue of this.#queues.values()) if (queue.cancel) this.#drop(queue);
  }

  async #deliver(message: StoredMessage, isRepeated = false): Promise<void> {
    const { tenant, targetId: id, event, key } = message;
    // Before its turn: this may render templates of the child, and a kill must not wait for that. A failure is met again in turn.
    const known = event.type === "child_ended"
      ? await this.#completed(message).catch(() => undefined)
      : event;
    await this.inTurn({ tenant, id }, async () => {
      // A commit in progress may have stored its consequences after all.
      if (isRepeated && !(await this.#deps.store.get(key))) return;
      const given = await this.#give({ tenant, id }, known ?? await this.#completed(message), { key });
      if (!given) return () => this.#return(message);
      return () => this.#settle(given, () => void this.#deps.work.track(this.#deliver(message, true)));
    });
  }

  async #completed({ tenant, targetId: id, event }: StoredMessage): Promise<Event> {
    return await withChildOutputs(
      event,
      await this.#deps.find({ tenant, id }),
      this.#deps.childrenOf(tenant),
    );
  }

  async #give(target: Target, event: Event, receipt?: Receipt): Promise<Given | undefined> {
    const given = await this.#deps.give(target, event, receipt);
    if (!given) this.#checkNotDeleting(target); // The deletion may be refused.
    return given;
  }

  #checkNotDeleting(target: Target): void {
    if (!this.#deps.isDeleting(target)) return;
    throw new DomainError("unavailable", "Cannot deliver an event: its execution is being deleted");
  }

  /** Waits for the commit of the event. `again` is called if the execution discards its changes instead, now or later. */
  async #settle({ live, settled }: Given, again: () => void): Promise<void> {
    const error = await settled;
    if (!error) return;
    if (isTooLarge(error)) throw error;
    if (live.isDropped) return again();
    void this.#watch(live, again);
    throw error;
  }

  async #watch(live: LiveExecution, again: () => void): Promise<void> {
    let error: Error | undefined;
    do error = await nextCommit(live, this.#deps.changes); while (error && !live.isDropped);
    if (live.isDropped && !(error && isTooLarge(error))) again();
  }

  /** Removes a message to an execution that does not exist. */
  async #return(message: StoredMessage): Promise<void> {
    const reply = goneReply(message);
    if (reply) return await this.deliver(reply);
    await this.#deps.committer.commit({ mutations: [{ type: "delete", key: message.key }] });
  }

  async #run(queue: Queue): Promise<void> {
    queue.cancel = undefined;
    for (let next = queue.left[0]; next; next = queue.left[0]) {
      let rest: Rest | void;
      try {
        this.#checkNotDeleting(queue.target);
        rest = await next.give();
      } catch (error) {
        return this.#retryLater(queue, error as Error);
      }
      queue.failures = 0;
      if (queue.left.shift()) this.#count--;
      next.done(rest?.());
    }
    if (this.#queues.get(queue.key) === queue) this.#queues.delete(queue.key);
  }

  #retryLater(queue: Queue, error: Error): void {
    const [next] = queue.left;
    if (!next || this.#isStopped) return this.#drop(queue);
    const { clock, logger } = this.#deps;
    const fields = { execution: queue.target.id, error: error.message };
    if (this.#count > MAX_WAITING) {
      logger.repeated("error", "Too many events wait: some are delivered only by the next start", fields);
      return this.#drop(queue);
    }
    const level = error instanceof DomainError ? "warn" : "error";
    // The end of a deletion is near: waiting for it is no failure.
    const isNoted = !this.#deps.isDeleting(queue.target);
    if (isNoted) logger.repeated(level, "An event cannot be delivered and waits", fields);
    for (const each of queue.left) this.#keep(each);
    const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** queue.failures++);
    queue.cancel = clock.setTimer(delayMs, () => void this.#run(queue));
  }

  /** Ends the wait of the caller. */
  #keep(delivery: Delivery): void {
    delivery.done();
    delivery.done = (rest) => void (rest && this.#deps.work.track(rest));
  }

  #drop(queue: Queue): void {
    queue.cancel?.();
    this.#count -= queue.left.length;
    for (const { done } of queue.left) done();
    queue.left = [];
    if (this.#queues.get(queue.key) === queue) this.#queues.delete(queue.key);
  }
}
