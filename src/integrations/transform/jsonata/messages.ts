/** Messages between the thread of the server and the one that evaluates expressions of users. Values are JSON text. */
import type { MessagePort } from "node:worker_threads";
import type { GrokRules } from "../grok/grok.ts";

/** Longest evaluation of one value in JSONata, which the package checks between its steps. */
export const MAX_EVALUATION_MS = 10_000;

/** An expression of JSONata. */
export interface JsonataExpression {
  readonly type: "jsonata";
  readonly source: string;
  /** Nested calls. */
  readonly maxDepth: number;
}

/** Expressions of grok. */
interface GrokExpression {
  readonly type: "grok";
  readonly rules: GrokRules;
}

/** What the thread evaluates. */
export type ThreadExpression = JsonataExpression | GrokExpression;

/** What a thread is started with. */
export interface ThreadOptions {
  readonly expression: ThreadExpression;
  /** Not 0: the thread evaluates no further value. */
  readonly stopFlag: Int32Array;
  /** Is closed when the thread has exited. */
  readonly lifeline: MessagePort;
}

/** Inputs, in order. */
export type ToThread = readonly string[];

/** `ready` or `malformed` first, then one message an input, in order. */
export type FromThread =
  | { readonly type: "ready" }
  | { readonly type: "malformed" | "failed"; readonly message: string }
  | { readonly type: "value"; readonly json: string };
