/** Charges the moves of regular expressions to the evaluation that they are part of, while they are made. */
import type { StepBudget } from "../values/mod.ts";
import type { Budget } from "./regex.ts";

/** Moves between two charges: some 0.25 ms. */
const GRANTED_MOVES = 4096;

/** Runs a regular expression; 16 of its moves count as one step. */
export function metered<T>(context: StepBudget, run: (budget: Budget) => T): T {
  const budget = new MeteredMoves(context);
  const result = run(budget);
  budget.settle();
  return result;
}

/** Moves of one call. */
class MeteredMoves implements Budget {
  readonly maxLength: number;
  moves: number;
  readonly #context: StepBudget;
  #granted: number;
  #left: number;

  constructor(context: StepBudget) {
    const { maxRegexMoves, maxOutputLength } = context.limits;
    this.maxLength = maxOutputLength;
    this.#context = context;
    this.moves = this.#granted = Math.min(GRANTED_MOVES, maxRegexMoves);
    this.#left = maxRegexMoves - this.moves;
  }

  /** Charges the moves made so far and grants more. */
  refill(): void {
    const missing = -this.moves;
    this.settle();
    const granted = Math.min(Math.max(GRANTED_MOVES, missing), this.#left);
    this.#left -= granted;
    this.moves += granted;
    this.#granted = this.moves;
  }

  /** Charges the moves made since they were granted. */
  settle(): void {
    this.#context.spend((this.#granted - this.moves) >>> 4);
    this.#granted = this.moves;
  }
}
