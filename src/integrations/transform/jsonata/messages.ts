/** Messages to an evaluator of expressions of users, as JSON. Its inputs are values as JSON texts. */
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
  readonly rules: Omit<GrokRules, "definitions"> & {
    readonly definitions: readonly (readonly [name: string, pattern: string])[];
  };
}

/** What is evaluated. */
export type EvaluatorExpression = JsonataExpression | GrokExpression;
