/** Streams of the changes and the log lines of an execution, and the wait for one that was just created. */
import type { Clock } from "../../base/time/clock.ts";
import { isId } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import { MAX_STREAM_CHANGES_PER_SECOND } from "../../model/limits.ts";
import type { Executions } from "../../services/executions/executions.ts";
import type { FollowedView, Follower } from "../../services/executions/followed_executions.ts";
import type { LogFilter } from "../../services/logs/log_entries.ts";
import type { EventProducer } from "./sse.ts";

/** A client may know the id before the start is durable. */
const MAX_WAIT_FOR_ID_MS = 10_000;
/** Faster changes are merged. */
export const FOLLOW_PAUSE_MS = 1000 / MAX_STREAM_CHANGES_PER_SECOND;
/** Each read of a log reads all lines: a longer log is read less often. */
const LINES_PER_PAUSE_MS = 20;
const MAX_LOG_PAUSE_MS = 2_000;

/** The followed execution, and its follower. */
export interface FollowTarget {
  readonly executions: Executions;
  readonly clock: Clock;
  readonly actor: Actor;
  readonly id: string;
}

/** Waits up to 10 s for an execution to exist. @throws DomainError not_found */
export async function awaitExecution(
  { executions, actor, id }: FollowTarget,
  signal: AbortSignal,
): Promise<void> {
  if (isId(id) && await executions.followed.exists(actor, id, MAX_WAIT_FOR_ID_MS, signal)) return;
  throw new DomainError("not_found", `Not Found: execution "${id}" does not exist`);
}

/** Sends `start` and then `progress` with the whole execution for each change, at last `end`; one that has ended sends `end` alone. */
export function executionEvents(target: FollowTarget): EventProducer {
  return async (writer, signal) => {
    using watch = new Watch(target, signal);
    let isFirst = true;
    const send = async () => {
      const current = await currentBody(watch, target.actor);
      if (current && isFirst && !current.hasEnded) await writer.send({ id: "start", data: current.data });
      isFirst = false;
      if (current) await writer.send({ id: current.hasEnded ? "end" : "progress", data: current.data });
      return current?.hasEnded === false;
    };
    while (!signal.aborted && await send()) {
      await watch.pause(FOLLOW_PAUSE_MS);
      await watch.changed();
    }
  };
}

/** Without the view, which may have many megabytes: clients that do not read hold the bytes alone. */
async function currentBody(watch: Watch, { durations }: Actor) {
  const view = await watch.read();
  return view && { data: [await view.bytes(durations)], hasEnded: view.hasEnded };
}

/** Sends `start` with the ids of the execution, then `progress` for each log entry, stored ones first; ends with the execution. */
export function logEvents(target: FollowTarget, filter: LogFilter): EventProducer {
  return async (writer, signal) => {
    using watch = new Watch(target, signal);
    const { namespace, flowId } = (await watch.read())?.execution ?? {};
    await writer.send({ id: "start", data: JSON.stringify({ executionId: target.id, namespace, flowId }) });
    let sent = 0;
    while (!signal.aborted) {
      // Read before the log lines: all lines are stored by the commit of the end.
      const isOver = (await watch.read())?.hasEnded ?? true;
      let read = 0;
      for await (const entries of target.executions.logs(target.actor, target.id, filter)) {
        for (const entry of entries.slice(Math.max(0, sent - read))) {
          await writer.send({ id: "progress", data: stringifyJson(entry satisfies JsonObject) });
        }
        read += entries.length;
        if (signal.aborted) return;
      }
      sent = Math.max(sent, read);
      if (isOver) return;
      await watch.pause(Math.min(MAX_LOG_PAUSE_MS, FOLLOW_PAUSE_MS + sent / LINES_PER_PAUSE_MS));
      await watch.changed();
    }
  };
}

/** Waits for changes of one execution, until the client is gone. */
export class Watch implements Disposable {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #follower: Follower;
  readonly #onAbort = () => this.#wake();
  #hasChanged = false;
  #isPausing = false;
  #wake: () => void = () => {};

  constructor({ executions, clock, actor, id }: FollowTarget, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#follower = executions.followed.follow(actor, id, () => {
      this.#hasChanged = true;
      if (!this.#isPausing) this.#wake();
    });
    signal.addEventListener("abort", this.#onAbort);
  }

  /** The current execution; `undefined` when it does not exist (any more). */
  read(): Promise<FollowedView | undefined> {
    return this.#follower.read();
  }

  /** Resolves after a change since the last call, when the client is gone, or after `maxMs`. */
  async changed(maxMs?: number): Promise<void> {
    if (!this.#hasChanged) await this.#sleep(maxMs);
    this.#hasChanged = false;
  }

  /** Resolves after `ms`, or when the client is gone. */
  async pause(ms: number): Promise<void> {
    this.#isPausing = true;
    await this.#sleep(ms);
    this.#isPausing = false;
  }

  async #sleep(maxMs?: number): Promise<void> {
    if (this.#signal.aborted) return;
    const woken = new Promise<void>((resolve) => this.#wake = resolve);
    const cancel = maxMs === undefined ? undefined : this.#clock.setTimer(maxMs, this.#wake);
    await woken;
    cancel?.();
  }

  /** Stops watching. */
  [Symbol.dispose](): void {
    this.#follower[Symbol.dispose]();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}
