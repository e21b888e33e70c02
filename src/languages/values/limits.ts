/** Every bound of the expression language, as counts. A scope may set the ones of {@link ExpressionLimits}. */

/** Longest template, in characters. */
export const MAX_TEMPLATE_LENGTH = 1_000_000;
/** Deepest nesting of brackets, operands and tags in a source. */
export const MAX_SOURCE_DEPTH = 100;
/** Deepest tree of one expression: a chain such as `a ~ b ~ c` deepens it by one an operator. */
export const MAX_TREE_DEPTH = 600;
/** Deepest value that is printed or rendered; JSON of the platform fails near 5,000. */
export const MAX_VALUE_DEPTH = 500;
/** Longest regular expression, in characters. */
export const MAX_REGEX_LENGTH = 1000;
/** Largest regular expression once its counted repeats are written out, in instructions. */
export const MAX_REGEX_INSTRUCTIONS = 4000;
/** Characters of a source quoted in an error. */
export const MAX_QUOTED_LENGTH = 200;
/** Characters of what an error says; values that it quotes may be longer. */
export const MAX_REASON_LENGTH = 1000;

/** Bounds of one evaluation. */
export interface ExpressionLimits {
  /** Prints, calls, loop rounds and compared elements. */
  readonly maxSteps: number;
  /** Characters printed, and length of any text or list made on the way. */
  readonly maxOutputLength: number;
  /** Macros and `render` calls within one another. */
  readonly maxCallDepth: number;
  /** Elements of `a..b` and `range`. */
  readonly maxRangeLength: number;
  /** Passes of one `render`. */
  readonly maxRenderPasses: number;
  /** Moves of the regular expression machine in one filter call; a million take about 60 ms. */
  readonly maxRegexMoves: number;
}

/** The bounds in force where a scope sets none. */
export const DEFAULT_LIMITS: ExpressionLimits = Object.freeze({
  maxSteps: 1_000_000,
  maxOutputLength: 10_000_000,
  maxCallDepth: 50,
  maxRangeLength: 100_000,
  maxRenderPasses: 100,
  maxRegexMoves: 10_000_000,
});

/** Counts work against the limits of one evaluation. */
export interface StepBudget {
  /** The time of the evaluation: milliseconds since the epoch. */
  readonly now: number;
  readonly limits: ExpressionLimits;
  /** Counts `steps` of work. @throws ExpressionError `limit` */
  spend(steps: number): void;
  /** Refuses a text or list of that length, made or about to be. @throws ExpressionError `limit` */
  checkLength(length: number): void;
  /** What `make` gave for that key in this evaluation. */
  memo<T>(key: string, make: () => T): T;
}
