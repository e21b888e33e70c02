/** The thread of evaluators: JSONata, grok and OpenPGP. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { parseJson, stringifyJson } from "../base/json.ts";
import type { EvaluatorData } from "../model/ports/evaluators.ts";
import { grokMatcher, type GrokRules } from "./transform/grok/grok.ts";
import type { OpenPgpWork } from "./crypto/openpgp_work.ts";
import type { FromEvaluator } from "./evaluator_messages.ts";
import {
  type EvaluatorExpression,
  type JsonataExpression,
  MAX_EVALUATION_MS,
} from "./transform/jsonata/messages.ts";
import { BoundedRegExp } from "./transform/jsonata/regular_expression.ts";

const MAX_LIST_ITEMS = 1_000_000;

/** JSON text to JSON text. */
type Evaluate = (text: string) => string | Promise<string>;

interface Compiled {
  evaluate(input: unknown): Promise<unknown>;
}

type Compile = (
  source: string,
  options: {
    readonly timeout: number;
    readonly stack: number;
    readonly sequence: number;
    readonly RegexEngine: typeof BoundedRegExp;
  },
) => Compiled;

async function serve(port: MessagePort, { expression, stopFlag }: EvaluatorData): Promise<void> {
  const isStopped = () => stopFlag !== undefined && Atomics.load(stopFlag, 0) !== 0;
  if (stopFlag) interruptBy(isStopped);
  const send = (message: FromEvaluator) => port.postMessage(JSON.stringify(message));
  let evaluate: Evaluate;
  try {
    evaluate = await evaluatorOf(expression as unknown as EvaluatorExpression | OpenPgpWork);
  } catch (error) {
    return send({ type: "malformed", message: messageOf(error) });
  }
  let last = Promise.resolve();
  port.on("message", (text: string) => {
    last = last.then(async () => {
      if (isStopped()) return;
      try {
        send({ type: "value", json: await evaluate(text) });
      } catch (error) {
        send({ type: "failed", message: messageOf(error) });
      }
    });
  });
  send({ type: "ready" });
}

/**
 * Makes what loops of the package call throw when the thread must stop. Deno ends a thread only when it pauses; `$distinct` takes
 * hours for a list and never does, and neither does `$reduce` with `$append`.
 */
function interruptBy(isStopped: () => boolean): void {
  const interrupted = <This, Args extends unknown[], Result>(call: (this: This, ...args: Args) => Result) =>
    function (this: This, ...args: Args): Result {
      if (isStopped()) throw new Error("The evaluation was stopped");
      return call.apply(this, args);
    };
  const { prototype } = Array;
  prototype.push = interrupted(prototype.push);
  prototype.concat = interrupted(prototype.concat) as typeof prototype.concat;
}

async function evaluatorOf(expression: EvaluatorExpression | OpenPgpWork): Promise<Evaluate> {
  if (expression.type === "jsonata") return await jsonataEvaluator(expression);
  if (expression.type === "openpgp") return await openPgpEvaluator(expression);
  const { rules } = expression;
  return grokEvaluator({ ...rules, definitions: new Map(rules.definitions) });
}

function grokEvaluator(rules: GrokRules): Evaluate {
  const match = grokMatcher(rules);
  return (text) => stringifyJson(match(String(parseJson(text))));
}

async function jsonataEvaluator({ source, maxDepth }: JsonataExpression): Promise<Evaluate> {
  const jsonata = (await import("jsonata")).default as unknown as Compile;
  const limits = { timeout: MAX_EVALUATION_MS, stack: maxDepth, sequence: MAX_LIST_ITEMS };
  let compiled: Compiled;
  try {
    compiled = jsonata(source, { ...limits, RegexEngine: BoundedRegExp });
  } catch (error) {
    throw new Error(`Invalid expression: ${messageOf(error)}`, { cause: error });
  }
  return async (text) => JSON.stringify(await compiled.evaluate(JSON.parse(text))) ?? "null";
}

/** Each input gets the next piece, an empty text after the last one. */
async function openPgpEvaluator(work: OpenPgpWork): Promise<Evaluate> {
  const { openPgpPieces } = await import("./crypto/openpgp_work.ts");
  const pieces = openPgpPieces(work);
  return async () => JSON.stringify((await pieces.next()).value?.toBase64() ?? "");
}

/** Errors of the package of JSONata are plain objects. */
function messageOf(error: unknown): string {
  const { message } = error as { readonly message?: unknown };
  return typeof message === "string" ? message : "the evaluation failed";
}

if (parentPort) void serve(parentPort, workerData as EvaluatorData);
