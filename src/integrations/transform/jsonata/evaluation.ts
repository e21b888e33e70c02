/**
 * Evaluates JSONata in a thread of its own. The package has limits of time, depth and list sizes, but a regular expression of the
 * user or a large text passes them: a thread that does not respond in time is ended, whatever it does.
 */
import { Worker } from "node:worker_threads";
import { systemClock } from "../../../base/clock.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../../base/json.ts";
import { KeyedLock } from "../../../base/keyed_lock.ts";
import { sourceUrl } from "../../../base/source_url.ts";
import type { FromThread, ThreadOptions, ToThread } from "./messages.ts";

const MODULE = sourceUrl("integrations/transform/jsonata/worker.ts");
/** Longest evaluation of one value. */
const MAX_EVALUATION_MS = 10_000;
/** Longest start of the thread, which loads the package in some 150 ms, on a busy machine. */
const MAX_START_MS = 60_000;
/** Time beside that of the package, after which the thread is ended. */
const GRACE_MS = 2_000;
const MAX_LIST_ITEMS = 1_000_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** Threads at the same time; further evaluations wait. */
const MAX_THREADS = 2;
/** Characters and number of values that are sent at once. */
const MAX_BATCH_CHARS = 256 * 1024;
const MAX_BATCH_VALUES = 500;

const threads = new KeyedLock();
let started = 0;

/** An expression and its limits. */
export interface JsonataOptions {
  readonly expression: string;
  /** Nested calls. */
  readonly maxDepth: number;
  readonly signal: AbortSignal;
}

/** Runs `work` with an evaluator; ends its thread afterwards. @throws Error the expression is malformed, or the work is stopped */
export async function withJsonata<T>(
  options: JsonataOptions,
  work: (evaluator: JsonataThread) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new Error("The evaluation was stopped"));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const run = threads.run(String(started++ % MAX_THREADS), async () => {
    if (signal.aborted) return await stopped.promise;
    await using thread = new JsonataThread(options);
    return await Promise.race([thread.ready().then(() => work(thread)), stopped.promise]);
  });
  try {
    return await Promise.race([run, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    run.catch(() => {}); // It rejects once more when the work was stopped.
  }
}

/** A thread with one expression. */
class JsonataThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #received: FromThread[] = [];
  #failure: Error | undefined;
  #arrived: (() => void) | undefined;

  constructor({ expression, maxDepth }: JsonataOptions) {
    const limits = { timeout: MAX_EVALUATION_MS, stack: maxDepth, sequence: MAX_LIST_ITEMS };
    const workerData: ThreadOptions = { expression, limits };
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
    if (message.type !== "ready") throw new Error(`Invalid expression: ${textOf(message)}`);
  }

  /** The results of values, in order; null for no result. @throws Error an evaluation fails or takes too long */
  async *evaluate(values: AsyncIterable<JsonValue>): AsyncGenerator<JsonValue> {
    let position = 0;
    for await (const batch of batchesOf(values)) {
      this.#worker.postMessage(batch);
      for (const _ of batch) {
        position++;
        const message = await this.#next(MAX_EVALUATION_MS + GRACE_MS);
        if (message.type !== "value") {
          throw new Error(`Cannot evaluate the expression for value ${position}: ${textOf(message)}`);
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
      () => this.#fail(new Error(`Cannot evaluate the expression for more than ${timeoutMs - GRACE_MS} ms`)),
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

async function* batchesOf(values: AsyncIterable<JsonValue>): AsyncGenerator<ToThread> {
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
