/** Makes a failing run simpler: a smaller flow, fewer and smaller choices, that still break the same invariant. */
import { type FlowPlan, planFlow } from "../../src/engine/plan.ts";
import { Choices } from "./choices.ts";
import { randomPlan } from "./random_flow.ts";
import { simplerFlows } from "./simpler_flows.ts";
import { type Invariant, Simulation, Violation } from "./simulation.ts";

/** A run that broke an invariant. */
export interface Failure {
  readonly message: string;
  readonly plan: FlowPlan;
  readonly choices: readonly number[];
  /** What happened, a line each. */
  readonly trace: readonly string[];
}

const MAX_TRIES = 6_000;

/** Simulates what belongs to a seed; the failure, if there was one. */
export function attemptSeed(seed: number): Failure | undefined {
  const choices = Choices.ofSeed(seed);
  return attempt(randomPlan(choices), choices.fresh());
}

/** Runs a flow once; the failure, if there was one. */
export function attempt(plan: FlowPlan, choices: Choices, invariant?: Invariant): Failure | undefined {
  const simulation = new Simulation(plan, choices, invariant);
  try {
    simulation.run();
    return undefined;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { message: error.message, plan, choices: choices.taken, trace: simulation.trace };
  }
}

/** The simplest failure of the same kind that is found. */
export function shrink(failure: Failure, invariant?: Invariant): Failure {
  const search = new Search(failure, invariant);
  while (search.simplifyFlow() || search.cutBlocks() || search.zero());
  return search.best;
}

class Search {
  best: Failure;
  readonly #invariant: Invariant | undefined;
  #tries = 0;

  constructor(failure: Failure, invariant: Invariant | undefined) {
    this.best = failure;
    this.#invariant = invariant;
  }

  simplifyFlow(): boolean {
    for (const flow of simplerFlows(this.best.plan.flow)) {
      if (this.#improves(planFlow(flow), this.best.choices)) return true;
    }
    return false;
  }

  cutBlocks(): boolean {
    let isImproved = false;
    for (let size = 64; size >= 1; size >>= 1) {
      for (let at = 0; at < this.best.choices.length;) {
        if (this.#improves(this.best.plan, this.best.choices.toSpliced(at, size))) isImproved = true;
        else at += size;
      }
    }
    return isImproved;
  }

  zero(): boolean {
    let isImproved = false;
    for (let at = 0; at < this.best.choices.length; at++) {
      if (this.best.choices[at] === 0) continue;
      if (this.#improves(this.best.plan, this.best.choices.with(at, 0))) isImproved = true;
    }
    return isImproved;
  }

  #improves(plan: FlowPlan, choices: readonly number[]): boolean {
    if (++this.#tries > MAX_TRIES) return false;
    const found = attempt(plan, Choices.ofList(choices), this.#invariant);
    if (!found || kindOf(found) !== kindOf(this.best)) return false;
    if (plan === this.best.plan && !isSimpler(found.choices, this.best.choices)) return false;
    this.best = found;
    return true;
  }
}

function isSimpler(a: readonly number[], b: readonly number[]): boolean {
  const lengthOf = (list: readonly number[]) => list.findLastIndex((choice) => choice !== 0) + 1;
  const weightOf = (list: readonly number[]) => list.filter((choice) => choice !== 0).length;
  return lengthOf(a) < lengthOf(b) || lengthOf(a) === lengthOf(b) && weightOf(a) < weightOf(b);
}

/** What is wrong, whatever its numbers. */
export function kindOf({ message }: Pick<Failure, "message">): string {
  return (message.split("\n")[0] ?? "").replaceAll(/\d+/g, "n");
}
