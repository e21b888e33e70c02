/**
 * Evaluates JSONata and grok apart from the thread of the server. Both have limits of steps or time, of up to ten seconds for a
 * value; an evaluator that does not respond in time is ended.
 */
import { systemClock } from "../../../base/time/clock.ts";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../base/json.ts";
import type { Evaluator } from "../../../model/ports/evaluators.ts";
import type { Machine } from "../../../model/tasks/machine_task.ts";
import { type EvaluatorExpression, type FromEvaluator, MAX_EVALUATION_MS } from "./messages.ts";

/** Longest start of an evaluator, which takes some 100 ms, on a busy machine. */
const MAX_START_MS = 60_000;
/** Time beside that of JSONata, after which the evaluator is ended. */
const GRACE_MS = 2_000;
/** Characters and number of values that are sent at once. */
const MAX_BATCH_CHARS = 256 * 1024;
const MAX_BATCH_VALUES = 500;

/** An expression, and what evaluates it. */
export interface EvaluationWork {
  readonly expression: EvaluatorExpression;
  /** Verb and object, such as `match the pattern`. */
  readonly operation: string;
  readonly startEvaluator: Machine["startEvaluator"];
}

/** Starts an evaluator and ends it after its use. @throws Error the expression is malformed, or the work is stopped */
export async function withEvaluation<T>(
  { expression, operation, startEvaluator }: EvaluationWork,
  use: (evaluation: Evaluation) => Promise<T>,
): Promise<T> {
  await using evaluator = await startEvaluator(expression as unknown as JsonObject, operation);
  const evaluation = new Evaluation(evaluator, operation);
  await evaluation.ready();
  return await use(evaluation);
}

/** The use of an evaluator. */
class Evaluation {
  readonly #evaluator: Evaluator;
  readonly #operation: string;

  constructor(evaluator: Evaluator, operation: string) {
    this.#evaluator = evaluator;
    this.#operation = operation;
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
      this.#evaluator.send(batch);
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

  async #next(timeoutMs: number): Promise<FromEvaluator> {
    const late = Promise.withResolvers<never>();
    const cancel = systemClock.setTimer(
      timeoutMs,
      () => late.reject(new Error(`Cannot ${this.#operation} for more than ${timeoutMs - GRACE_MS} ms`)),
    );
    try {
      return JSON.parse(await Promise.race([this.#evaluator.receive(), late.promise]));
    } finally {
      cancel();
    }
  }
}

function textOf(message: FromEvaluator): string {
  return "message" in message ? message.message : "the evaluator sent another message";
}

async function* batchesOf(
  values: AsyncIterable<JsonValue> | Iterable<JsonValue>,
): AsyncGenerator<readonly string[]> {
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
