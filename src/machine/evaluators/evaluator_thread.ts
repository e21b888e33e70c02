/** An evaluator in a thread of the server. */
import type { Worker } from "node:worker_threads";
import type { Evaluator, EvaluatorWork } from "../../model/ports/evaluators.ts";
import { startEvaluatorWorker } from "./evaluator_worker.ts";
import type { GivenUpThreads } from "./given_up_threads.ts";

/** Longest time that an idle thread takes to exit. */
const EXIT_MS = 2_000;

/** It is given up when it is disposed of while it computes. */
export class EvaluatorThread implements Evaluator {
  readonly #worker: Worker;
  readonly #stopFlag = new Int32Array(new SharedArrayBuffer(4));
  readonly #exit = Promise.withResolvers<void>();
  readonly #givenUp: GivenUpThreads;
  readonly #signal: AbortSignal;
  readonly #release: () => void;
  readonly #received: string[] = [];
  /** Responses that it has not sent yet. */
  #pending = 1;
  #failure: Error | undefined;
  #arrived: (() => void) | undefined;
  readonly #stop = () => this.#fail(new Error("The evaluation was stopped"));

  constructor({ expression, signal }: EvaluatorWork, givenUp: GivenUpThreads, release: () => void) {
    this.#givenUp = givenUp;
    this.#signal = signal;
    this.#release = release;
    const { worker, lifeline } = startEvaluatorWorker({ expression, stopFlag: this.#stopFlag });
    this.#worker = worker;
    // The event "exit" of a thread comes when it is told to end, this one when it has ended.
    lifeline.on("close", () => this.#exit.resolve());
    // Without a listener for messages there is no event "close".
    lifeline.on("message", () => {});
    lifeline.unref();
    worker.on("message", (message: string) => {
      this.#pending--;
      this.#received.push(message);
      this.#arrived?.();
    });
    worker.on("error", (error: Error) => this.#fail(error));
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  /** @inheritdoc */
  send(inputs: readonly string[]): void {
    this.#pending += inputs.length;
    for (const input of inputs) this.#worker.postMessage(input);
  }

  /** @inheritdoc */
  async receive(): Promise<string> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const message = this.#received.shift();
      if (message !== undefined) return message;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#arrived = resolve;
      await promise;
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#arrived?.();
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal.removeEventListener("abort", this.#stop);
    this.#stop();
    Atomics.store(this.#stopFlag, 0, 1);
    const added = this.#givenUp.add(this.#exit.promise, { isIdle: this.#pending === 0, waitMs: EXIT_MS });
    await this.#worker.terminate();
    await added;
    this.#release();
  }
}
