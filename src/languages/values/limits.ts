/** Limits of the expression language. A scope may set those of {@link ExpressionLimits}. */

/** Longest template, in characters. */
export const MAX_TEMPLATE_LENGTH = 1_000_000;
/** Most tokens of a template. It is compiled in one piece, which takes some 1.5 µs and 200 bytes for each. */
export const MAX_TEMPLATE_TOKENS = 200_000;
/** Deepest nesting of brackets, operands and tags in a source. */
export const MAX_SOURCE_DEPTH = 100;
/** Deepest tree of one expression; each operator of a chain such as `a ~ b ~ c` adds a level. */
export const MAX_TREE_DEPTH = 600;
/** Deepest value that is printed or rendered; the platform's JSON fails near 5,000. */
export const MAX_VALUE_DEPTH = 500;
/** Longest regular expression, in characters. */
export const MAX_REGEX_LENGTH = 1000;
/** Largest compiled regular expression, in instructions; counted repeats are expanded. */
export const MAX_REGEX_INSTRUCTIONS = 4000;
/** Characters of a source quoted in an error. */
export const MAX_QUOTED_LENGTH = 200;
/** Characters of the message of an error. */
export const MAX_REASON_LENGTH = 1000;

/** Limits of one evaluation. */
export interface ExpressionLimits {
  /** Prints, calls, loop rounds and compared elements. */
  readonly maxSteps: number;
  /** Printed characters, and length of each intermediate text or list. */
  readonly maxOutputLength: number;
  /** Nested macros and `render` calls. */
  readonly maxCallDepth: number;
  /** Elements of `a..b` and `range`. */
  readonly maxRangeLength: number;
  /** Passes of one `render`. */
  readonly maxRenderPasses: number;
  /** Moves of the regular expression machine in one filter call; a million take about 60 ms. */
  readonly maxRegexMoves: number;
}

/** Limits that apply unless a scope sets others. */
export const DEFAULT_LIMITS: ExpressionLimits = Object.freeze({
  maxSteps: 1_000_000,
  maxOutputLength: 10_000_000,
  maxCallDepth: 50,
  maxRangeLength: 100_000,
  maxRenderPasses: 100,
  maxRegexMoves: 10_000_000,
});

/** Counts steps. */
export type StepCounter = Pick<StepBudget, "spend">;

/** Counts work against the limits of one evaluation. */
export interface StepBudget {
  /** The time of the evaluation: milliseconds since the epoch. */
  readonly now: number;
  readonly limits: ExpressionLimits;
  /** Counts `steps` of work. @throws ExpressionError `limit` */
  spend(steps: number): void;
  /** Checks the length of a text or list. @throws ExpressionError `limit` */
  checkLength(length: number): void;
  /** The value that `make` returned for this key first in this evaluation. */
  memo<T>(key: string, make: () => T): T;
}
