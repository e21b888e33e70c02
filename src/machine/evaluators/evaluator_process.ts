/** An evaluator in a process of its own. */
import { sourceUrl } from "../../base/source_url.ts";
import type { Evaluator, EvaluatorWork } from "../../model/ports/evaluators.ts";
import { HostProcess } from "../host_process.ts";

const HOST = Object.freeze({
  command: "evaluator-host",
  module: sourceUrl("machine/evaluators/host.ts"),
  permissions: ["--allow-read"],
});
/** Results are JSON within JSON; the memory of the evaluator holds hardly more. */
const MAX_RESPONSE_CHARS = 128 * 1024 * 1024;

/** It is killed when it is disposed of, or its signal is aborted. */
export class EvaluatorProcess implements Evaluator {
  readonly #process: HostProcess;
  readonly #operation: string;
  readonly #signal: AbortSignal;
  readonly #release: () => void;

  constructor({ expression, operation, signal }: EvaluatorWork, release: () => void) {
    this.#operation = operation;
    this.#signal = signal;
    this.#release = release;
    this.#process = new HostProcess(HOST, { maxLineChars: MAX_RESPONSE_CHARS, signal });
    this.#process.send(JSON.stringify(expression));
  }

  /** @inheritdoc */
  send(inputs: readonly string[]): void {
    for (const input of inputs) this.#process.send(input);
  }

  /** @inheritdoc */
  async receive(): Promise<string> {
    const line = await this.#process.receive();
    if (line !== undefined) return line;
    if (this.#signal.aborted) throw new Error("The evaluation was stopped");
    const { cause, errors } = await this.#process.end();
    throw new Error(`Cannot ${this.#operation}: its process ended with ${cause}: ${errors}`);
  }

  /** @inheritdoc */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
    this.#release();
  }
}
