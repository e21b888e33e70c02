/** The attempts of a simulation, as in the executor: they start with a commit and end at any time. */
import type { Choices } from "./choices.ts";

/** One that was begun. */
export interface Attempt {
  readonly taskRun: number;
  readonly attemptNumber: number;
}

/** Attempts that wait for a commit, and running ones, also those whose end is ignored. */
export class Attempts {
  /** Ends of attempts that another one has taken the place of are left out. */
  isFenced = true;
  #waiting: Attempt[] = [];
  readonly #current = new Map<number, Attempt>();
  readonly #underWay = new Set<Attempt>();

  /** Some wait for a commit. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Some are under way, wanted or not. */
  get isUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  /** There is something to see through. */
  get isLive(): boolean {
    return this.#waiting.length > 0 || this.#current.size > 0;
  }

  /** An attempt shall begin with the next commit; a former one of its task run has nothing to report any more. */
  defer(attempt: Attempt): void {
    if (this.isFenced) this.#current.delete(attempt.taskRun);
    this.#waiting.push(attempt);
  }

  /** What waited was committed. */
  start(): void {
    for (const attempt of this.#waiting) {
      this.#current.set(attempt.taskRun, attempt);
      this.#underWay.add(attempt);
    }
    this.#waiting = [];
  }

  /** The attempt of a task run is to stop; false when none is under way, which is its end. */
  interrupt(taskRun: number): boolean {
    const wasWaiting = this.#waiting.some((attempt) => attempt.taskRun === taskRun);
    this.#waiting = this.#waiting.filter((attempt) => attempt.taskRun !== taskRun);
    return !wasWaiting && this.#current.has(taskRun);
  }

  /** Ends one of them; `isLate` when its end is ignored. */
  end(choices: Choices): Attempt & { readonly isLate: boolean } {
    const attempt = choices.pick([...this.#underWay]);
    this.#underWay.delete(attempt);
    const { taskRun } = attempt;
    const isCurrent = this.#current.get(taskRun) === attempt;
    if (isCurrent) this.#current.delete(taskRun);
    return { ...attempt, isLate: this.isFenced && !isCurrent };
  }

  /** The server is gone, and all of them with it. Returns those that ran and were wanted: workers may have run them. */
  clear(): Attempt[] {
    const wanted = [...this.#current.values()];
    this.#waiting = [];
    this.#current.clear();
    this.#underWay.clear();
    return wanted;
  }
}
