/**
 * Evaluates JSONata and grok in a thread of their own. Both have limits of steps or time, of up to ten seconds for a value. A thread
 * that does not respond in time is given up: Deno ends it only when it pauses.
 */
import { Worker } from "node:worker_threads";
import { systemClock } from "../../../base/time/clock.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../../base/json.ts";
import { KeyedLock } from "../../../base/keyed_lock.ts";
import { sourceUrl } from "../../../base/source_url.ts";
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
/** Characters and number of values that are sent at once. */
const MAX_BATCH_CHARS = 256 * 1024;
const MAX_BATCH_VALUES = 500;

const threads = new KeyedLock();
let started = 0;

/** An expression, and the task that evaluates it. */
export interface ThreadWork {
  readonly expression: ThreadExpression;
  /** Verb and object, such as `match the pattern`. */
  readonly operation: string;
  readonly signal: AbortSignal;
}

/** Starts a thread and ends it after its use. @throws Error the expression is malformed, or the work is stopped */
export async function withThread<T>(
  work: ThreadWork,
  use: (thread: EvaluationThread) => Promise<T>,
): Promise<T> {
  const { signal } = work;
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new Error("The evaluation was stopped"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const run = threads.run(String(started++ % MAX_THREADS), async () => {
    if (signal.aborted) return await stopped.promise;
    await using thread = new EvaluationThread(work);
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
  readonly #received: FromThread[] = [];
  #failure: Error | undefined;
  #arrived: (() => void) | undefined;

  constructor({ expression, operation }: ThreadWork) {
    this.#operation = operation;
    const workerData: ThreadOptions = { expression };
    this.#worker = new Worker(MODULE, { resourceLimits: RESOURCE_LIMITS, workerData });
    this.#worker.on("message", (message: FromThread) => {
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
    await this.#worker.terminate();
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
