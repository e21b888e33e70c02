/** Starts evaluators of expressions: as processes, which can be ended; as threads where the server may start no process. */
import { FairSlots } from "../../base/fair_slots.ts";
import { systemClock } from "../../base/time/clock.ts";
import type { Evaluator, EvaluatorPort, EvaluatorWork } from "../../model/ports/evaluators.ts";
import { mayStartHosts } from "../host_process.ts";
import { EvaluatorProcess } from "./evaluator_process.ts";
import { EvaluatorThread } from "./evaluator_thread.ts";
import { GivenUpThreads } from "./given_up_threads.ts";

/** Threads that compute though they were ended. Each may take a processor and all of its memory. */
const MAX_GIVEN_UP = 2;
/** Longest evaluation of a value that checks its time. A thread that was ended within it exits then. */
const MAX_WAIT_MS = 12_000;

/** What a server evaluates with. */
interface EvaluatorOptions {
  /** Default: whether it may not start processes, each time. */
  readonly inThreads?: boolean;
  /** Default: those of all evaluators of these. */
  readonly givenUp?: GivenUpThreads;
}

/** Runs evaluators, a bounded number at a time. */
export class Evaluators implements EvaluatorPort {
  /** Each takes a processor and some 60 MB, and up to 1 GiB. */
  readonly #slots = new FairSlots(Math.max(2, navigator.hardwareConcurrency));
  readonly #inThreads: boolean;
  readonly #givenUp: GivenUpThreads;

  constructor(
    { inThreads = false, givenUp = new GivenUpThreads(systemClock, MAX_GIVEN_UP) }: EvaluatorOptions = {},
  ) {
    this.#inThreads = inThreads;
    this.#givenUp = givenUp;
  }

  /** @inheritdoc */
  async start(work: EvaluatorWork): Promise<Evaluator> {
    const { owner, signal, operation } = work;
    const release = await this.#slots.acquire(owner, signal);
    if (!release) throw new Error("The evaluation was stopped");
    try {
      if (!this.#inThreads && mayStartHosts()) return new EvaluatorProcess(work, release);
      await this.#givenUp.room(operation, MAX_WAIT_MS);
      return new EvaluatorThread(work, this.#givenUp, release);
    } catch (error) {
      release();
      throw error;
    }
  }
}
