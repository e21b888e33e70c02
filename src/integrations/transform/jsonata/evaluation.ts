/**
 * Evaluates JSONata and grok in a thread of their own. Both have limits of steps or time, of up to ten seconds for a value. A thread
 * that does not respond in time is given up, see `given_up_threads.ts`.
 */
import { MessageChannel, Worker } from "node:worker_threads";
import { systemClock } from "../../../base/time/clock.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../../base/json.ts";
import { KeyedLock } from "../../../base/keyed_lock.ts";
import { sourceUrl } from "../../../base/source_url.ts";
import { GivenUpThreads } from "./given_up_threads.ts";
import {
  type FromThread,
  MAX_EVALUATION_MS,
  type ThreadExpression,
  type ThreadOptions,
  type ToThread,
} from "./messages.ts";

const MODULE = sourceUrl("integrations/transform/jsonata/worker.ts");
/** Longest start of the thread, which loads the package in some 150 ms, on a busy machine. */
const MAX_START_MS = 60_000;
/** Time beside that of JSONata, after which the thread is ended. */
const GRACE_MS = 2_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** Threads at the same time; further evaluations wait. */
const MAX_THREADS = 2;
/** Further threads that compute though they were ended. Each may take a processor and all of its memory. */
const MAX_GIVEN_UP = 2;
/** Characters and number of values that are sent at once. */
const MAX_BATCH_CHARS = 256 * 1024;
const MAX_BATCH_VALUES = 500;

const threads = new KeyedLock();
const allGivenUp = new GivenUpThreads(systemClock, MAX_GIVEN_UP);
let started = 0;

/** An expression, and the task that evaluates it. */
export interface ThreadWork {
  readonly expression: ThreadExpression;
  /** Verb and object, such as `match the pattern`. */
  readonly operation: string;
  readonly signal: AbortSignal;
}

/**
 * Starts a thread and ends it after its use.
 * @throws Error the expression is malformed, the work is stopped, or too many threads compute that were given up
 */
export async function withThread<T>(
  work: ThreadWork,
  use: (thread: EvaluationThread) => Promise<T>,
  givenUp = allGivenUp,
): Promise<T> {
  const { signal } = work;
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new Error("The evaluation was stopped"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const run = threads.run(String(started++ % MAX_THREADS), async () => {
    // One that was stopped within JSONata exits when the time of its value is over.
    const hasRoom = givenUp.room(work.operation, MAX_EVALUATION_MS + GRACE_MS);
    await Promise.race([hasRoom, stopped.promise]);
    await using thread = new EvaluationThread(work, givenUp);
    return await Promise.race([thread.ready().then(() => use(thread)), stopped.promise]);
  });
  try {
    return await Promise.race([run, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    run.catch(() => {}); // It rejects once more when the work was stopped.
  }
}

/** A thread with one expression. */
class EvaluationThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #operation: string;
  readonly #givenUp: GivenUpThreads;
  readonly #exit = Promise.withResolvers<void>();
  readonly #stopFlag = new Int32Array(new SharedArrayBuffer(4));
  readonly #received: FromThread[] = [];
  /** Messages that it owes. */
  #pending = 1;
  #failure: Error | undefined;
  #arrived: (() => void) | undefined;

  constructor({ expression, operation }: ThreadWork, givenUp: GivenUpThreads) {
    this.#operation = operation;
    this.#givenUp = givenUp;
    // The end of a channel is closed with the thread that has the other one. The event "exit" comes when the thread is told to end.
    const { port1, port2 } = new MessageChannel();
    const workerData: ThreadOptions = { expression, stopFlag: this.#stopFlag, lifeline: port2 };
    this.#worker = new Worker(MODULE, {
      resourceLimits: RESOURCE_LIMITS,
      workerData,
      transferList: [port2],
    });
    port1.on("close", () => this.#exit.resolve());
    // Without a listener for messages there is no event "close".
    port1.on("message", () => {});
    port1.unref();
    this.#worker.on("message", (message: FromThread) => {
      this.#pending--;
      this.#received.push(message);
      this.#arrived?.();
    });
    this.#worker.on("error", (error: Error) => this.#fail(error));
  }

  /** Resolves when the expression is compiled. @throws Error it is malformed */
  async ready(): Promise<void> {
    const message = await this.#next(MAX_START_MS);
    if (message.type !== "ready") throw new Error(textOf(message));
  }

  /** The results of values, in order; null for no result. @throws Error an evaluation fails or takes too long */
  async *evaluate(values: AsyncIterable<JsonValue> | Iterable<JsonValue>): AsyncGenerator<JsonValue> {
    let position = 0;
    for await (const batch of batchesOf(values)) {
      this.#pending += batch.length;
      this.#worker.postMessage(batch);
      for (const _ of batch) {
        position++;
        const message = await this.#next(MAX_EVALUATION_MS + GRACE_MS);
        if (message.type !== "value") {
          throw new Error(`Cannot ${this.#operation} for value ${position}: ${textOf(message)}`);
        }
        yield parseJson(message.json);
      }
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#arrived?.();
  }

  async #next(timeoutMs: number): Promise<FromThread> {
    const cancel = systemClock.setTimer(
      timeoutMs,
      () => this.#fail(new Error(`Cannot ${this.#operation} for more than ${timeoutMs - GRACE_MS} ms`)),
    );
    try {
      for (;;) {
        const message = this.#received.shift();
        if (message) return message;
        if (this.#failure) throw this.#failure;
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#arrived = resolve;
        await promise;
      }
    } finally {
      cancel();
    }
  }

  /** Ends the thread. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail(new Error("The evaluation was stopped"));
    Atomics.store(this.#stopFlag, 0, 1);
    const added = this.#givenUp.add(this.#exit.promise, { isIdle: this.#pending === 0, waitMs: GRACE_MS });
    await this.#worker.terminate();
    await added;
  }
}

function textOf(message: FromThread): string {
  return "message" in message ? message.message : "the thread sent another message";
}

async function* batchesOf(values: AsyncIterable<JsonValue> | Iterable<JsonValue>): AsyncGenerator<ToThread> {
  let batch: string[] = [], chars = 0;
  for await (const value of values) {
    const text = stringifyJson(value);
    chars += text.length;
    if (batch.push(text) < MAX_BATCH_VALUES && chars < MAX_BATCH_CHARS) continue;
    yield batch;
    [batch, chars] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
