/** What the server has acknowledged in a soak run, kept only until it was looked at again. */
import { contentOf, type Version } from "../crash/verification/ledger.ts";

/** A start that was acknowledged. */
export interface StartedExecution {
  readonly id: string;
  /** The input. */
  readonly name: string;
  /** States in which it may end. */
  readonly endsIn: readonly string[];
  /** When it must have ended. */
  readonly dueAt: number;
}

/** Text that is written again and again under one name. */
export interface Written {
  readonly name: string;
  version: Version | undefined;
  /** Sent later, but the response did not come. */
  unanswered: Version | undefined;
}

const MAX_PROBLEMS = 50;

/** Bounded by what is not due yet: each start is looked at once. */
export class Acknowledged {
  readonly problems: string[] = [];
  readonly written = new Map<string, Written>();
  readonly #signal: AbortSignal | undefined;
  #queue: StartedExecution[] = [];
  #problems = 0;
  #looked = 0;
  #versions = 0;

  /** After the signal nothing is a problem: that of a terminal ends the server, too. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** Number of executions that were looked at. */
  get looked(): number {
    return this.#looked;
  }

  /** Number of problems, also of those that are not listed. */
  get problemCount(): number {
    return this.#problems;
  }

  /** A start was acknowledged. */
  started(execution: StartedExecution): void {
    this.#queue.push(execution);
  }

  /** The next execution that must have ended by now. */
  takeDue(now: number): StartedExecution | undefined {
    const index = this.#queue.findIndex(({ dueAt }) => dueAt <= now);
    if (index < 0) return undefined;
    this.#looked++;
    return this.#queue.splice(index, 1)[0];
  }

  /** The latest ones that are not due. */
  latest(count: number): readonly StartedExecution[] {
    return this.#queue.slice(-count);
  }

  /** Forgets what was started: it was deleted. */
  forget(id: string): void {
    this.#queue = this.#queue.filter((execution) => execution.id !== id);
  }

  /** Something is not as it was acknowledged. */
  problem(text: string): void {
    if (this.#signal?.aborted) return;
    if (this.#problems++ < MAX_PROBLEMS) this.problems.push(text);
  }

  /** The state of a name. */
  entry(name: string): Written {
    const entry = this.written.get(name) ?? { name, version: undefined, unanswered: undefined };
    this.written.set(name, entry);
    return entry;
  }

  /** A version that was not written before. */
  nextVersion(size: number): Version {
    return { n: ++this.#versions, size };
  }
}

/** Whether a text is the acknowledged version, or a later one that was sent. */
export function isExpected({ name, version, unanswered }: Written, text: string | undefined): boolean {
  if (version === undefined) return true;
  return [version, unanswered].some((each) => each !== undefined && contentOf(name, each) === text);
}
