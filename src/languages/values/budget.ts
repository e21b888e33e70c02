/** What one evaluation may use up, whatever language the work is done in. */
import type { ExpressionLimits } from "./limits.ts";

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
