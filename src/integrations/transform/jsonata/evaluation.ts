/**
 * Evaluates JSONata and grok apart from the thread of the server. Both have limits of steps or time, of up to ten seconds for a
 * value; an evaluator that does not respond in time is ended.
 */
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../base/json.ts";
import type { Evaluator } from "../../../model/ports/evaluators.ts";
import type { Machine } from "../../../model/tasks/machine_task.ts";
import { evaluatorReady, nextMessage, textOf } from "../../evaluator_messages.ts";
import { type EvaluatorExpression, MAX_EVALUATION_MS } from "./messages.ts";

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
  await evaluatorReady(evaluator, operation);
  return await use(new Evaluation(evaluator, operation));
}

/** The use of an evaluator. */
class Evaluation {
  readonly #evaluator: Evaluator;
  readonly #operation: string;

  constructor(evaluator: Evaluator, operation: string) {
    this.#evaluator = evaluator;
    this.#operation = operation;
  }

  /** The results of values, in order; null for no result. @throws Error an evaluation fails or takes too long */
  async *evaluate(values: AsyncIterable<JsonValue> | Iterable<JsonValue>): AsyncGenerator<JsonValue> {
    let position = 0;
    for await (const batch of batchesOf(values)) {
      this.#evaluator.send(batch);
      for (const _ of batch) {
        position++;
        const message = await nextMessage(this.#evaluator, this.#operation, MAX_EVALUATION_MS);
        if (message.type !== "value") {
          throw new Error(`Cannot ${this.#operation} for value ${position}: ${textOf(message)}`);
        }
        yield parseJson(message.json);
      }
    }
  }
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
