/** Messages of evaluators to the server, as JSON. */
import { systemClock } from "../base/time/clock.ts";
import type { Evaluator } from "../model/ports/evaluators.ts";

/** Longest start of an evaluator, which takes some 100 ms, on a busy machine. */
const MAX_START_MS = 60_000;
/** Time beside that of an evaluation, after which the evaluator is ended. */
const GRACE_MS = 2_000;

/** `ready` or `malformed` first, then one message an input, in order. */
export type FromEvaluator =
  | { readonly type: "ready" }
  | { readonly type: "malformed" | "failed"; readonly message: string }
  | { readonly type: "value"; readonly json: string };

/** Resolves when the evaluator is ready; `operation` is verb and object. @throws Error the expression is malformed */
export async function evaluatorReady(evaluator: Evaluator, operation: string): Promise<void> {
  const message = await nextMessage(evaluator, operation, MAX_START_MS);
  if (message.type !== "ready") throw new Error(textOf(message));
}

/** The next message. @throws Error it does not come within `maxMs`, or the evaluator has ended */
export async function nextMessage(
  evaluator: Evaluator,
  operation: string,
  maxMs: number,
): Promise<FromEvaluator> {
  const late = Promise.withResolvers<never>();
  const cancel = systemClock.setTimer(
    maxMs + GRACE_MS,
    () => late.reject(new Error(`Cannot ${operation} for more than ${maxMs} ms`)),
  );
  try {
    return JSON.parse(await Promise.race([evaluator.receive(), late.promise]));
  } finally {
    cancel();
  }
}

/** What a message says that is not the expected one. */
export function textOf(message: FromEvaluator): string {
  return "message" in message ? message.message : "the evaluator sent another message";
}
