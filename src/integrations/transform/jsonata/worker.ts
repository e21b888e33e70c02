/** The thread that evaluates expressions of users: JSONata and grok. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { parseJson, stringifyJson } from "../../../base/json.ts";
import { grokMatcher, type GrokRules } from "../grok/grok.ts";
import {
  type FromThread,
  type JsonataExpression,
  MAX_EVALUATION_MS,
  type ThreadOptions,
  type ToThread,
} from "./messages.ts";
import { BoundedRegExp } from "./regular_expression.ts";

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

async function serve(port: MessagePort, { expression, stopFlag }: ThreadOptions): Promise<void> {
  const send = (message: FromThread) => port.postMessage(message);
  let evaluate: Evaluate;
  try {
    evaluate = expression.type === "grok"
      ? grokEvaluator(expression.rules)
      : await jsonataEvaluator(expression);
  } catch (error) {
    return send({ type: "malformed", message: messageOf(error) });
  }
  port.on("message", async (texts: ToThread) => {
    for (const text of texts) {
      if (Atomics.load(stopFlag, 0) !== 0) return;
      try {
        send({ type: "value", json: await evaluate(text) });
      } catch (error) {
        send({ type: "failed", message: messageOf(error) });
      }
    }
  });
  send({ type: "ready" });
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

/** Errors of the package are plain objects. */
function messageOf(error: unknown): string {
  const { message } = error as { readonly message?: unknown };
  return typeof message === "string" ? message : "the evaluation failed";
}

if (parentPort) void serve(parentPort, workerData as ThreadOptions);
