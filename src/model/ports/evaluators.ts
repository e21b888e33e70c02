/** Evaluators of expressions whose evaluation may not end, such as those of JSONata. */
import type { JsonObject } from "../../base/json.ts";

/** What is evaluated, and for whom. */
export interface EvaluatorWork {
  /** The first message to the evaluator; it has a response, too. */
  readonly expression: JsonObject;
  /** Verb and object, such as `match the pattern`. */
  readonly operation: string;
  /** Who waits for an evaluator, if too many run. */
  readonly owner: string;
  /** Ends the evaluator. */
  readonly signal: AbortSignal;
}

/** What the thread of an evaluator is started with. */
export interface EvaluatorData {
  readonly expression: JsonObject;
  /** Not 0: it must stop. Absent where its process is killed. */
  readonly stopFlag?: Int32Array<SharedArrayBuffer>;
}

/** Evaluates one expression. Disposal ends it. */
export interface Evaluator extends AsyncDisposable {
  /** Sends inputs, JSON texts without line breaks; each has one response. */
  send(inputs: readonly string[]): void;
  /** The next response, in order; the first one is that to the expression. @throws Error the evaluator has ended */
  receive(): Promise<string>;
}

/** Starts evaluators. */
export interface EvaluatorPort {
  /** Starts one, when fewer than the limit run. @throws Error the signal is aborted, or too many cannot be ended */
  start(work: EvaluatorWork): Promise<Evaluator>;
}
