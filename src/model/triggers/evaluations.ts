/** The last evaluations of a trigger: what it did at its times, and why it did nothing. */
import type { Instant } from "../../base/clock.ts";

/** How an evaluation ended. */
type EvaluationOutcome = "STARTED" | "FAILED" | "SKIPPED";

/** One evaluation of a trigger. */
export interface Evaluation {
  readonly at: Instant;
  /** The date of a schedule for which it was made. */
  readonly date?: Instant;
  readonly outcome: EvaluationOutcome;
  /** Why it started nothing, or an execution that has failed. */
  readonly reason?: string;
  readonly executionId?: string;
}

/** Evaluations that are kept. */
export const MAX_EVALUATIONS = 20;

const MARKS: Readonly<Record<EvaluationOutcome, string>> = { STARTED: "+", FAILED: "!", SKIPPED: "-" };
const OUTCOMES = new Map(
  Object.entries(MARKS).map(([outcome, mark]) => [mark, outcome as EvaluationOutcome]),
);
/** The outcome, when it was (base 36), how long after its date, the execution, and the reason as JSON. */
const LINE = /^([+!-])(-?[0-9a-z]+) (-?[0-9a-z]*) (\S*)(?: (.*))?$/;

/**
 * Evaluations, the latest first, a line of text each. A schedule adds one at each of its dates: joining texts is all that it
 * takes, where a list of twenty objects would be copied and printed anew.
 */
export class Evaluations {
  /** Those of a trigger that was not evaluated yet. */
  static readonly none = new Evaluations("");

  /** As it is stored. */
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Of a list, the latest first. */
  static of(evaluations: readonly Evaluation[]): Evaluations {
    return new Evaluations(evaluations.slice(0, MAX_EVALUATIONS).map(lineOf).join("\n"));
  }

  /** What is stored: its text, or the list that earlier versions wrote. */
  static read(stored: unknown): Evaluations {
    if (typeof stored === "string") return stored === "" ? Evaluations.none : new Evaluations(stored);
    return Array.isArray(stored) ? Evaluations.of(stored) : Evaluations.none;
  }

  /** The latest one. */
  get latest(): Evaluation | undefined {
    const end = this.text.indexOf("\n");
    return evaluationOf(end < 0 ? this.text : this.text.slice(0, end));
  }

  /** With one more; the oldest goes when there are too many. */
  with(evaluation: Evaluation): Evaluations {
    const line = lineOf(evaluation);
    return new Evaluations(
      this.text === "" ? line : `${line}\n${firstLines(this.text, MAX_EVALUATIONS - 1)}`,
    );
  }

  /** As {@link with}; a refusal for the same reason as the latest takes its place, so that starts stay in sight. */
  withRefusal(refusal: Evaluation): Evaluations {
    const { latest } = this;
    const isRepeated = latest?.outcome === "SKIPPED" && latest.reason === refusal.reason;
    return isRepeated ? Evaluations.of([refusal, ...this.list().slice(1)]) : this.with(refusal);
  }

  /** All of them, the latest first. */
  list(): Evaluation[] {
    return this.text.split("\n").map(evaluationOf).filter((each) => each !== undefined);
  }

  /** How `JSON.stringify` prints them. */
  toJSON(): string {
    return this.text;
  }
}

function lineOf({ at, date, outcome, executionId = "", reason }: Evaluation): string {
  const delay = date === undefined ? "" : (at - date).toString(36);
  const line = `${MARKS[outcome]}${at.toString(36)} ${delay} ${executionId}`;
  return reason === undefined ? line : `${line} ${JSON.stringify(reason)}`;
}

function evaluationOf(line: string): Evaluation | undefined {
  const [, mark = "", time = "", delay = "", executionId = "", reason] = LINE.exec(line) ?? [];
  const outcome = OUTCOMES.get(mark);
  if (outcome === undefined) return undefined;
  const at = parseInt(time, 36);
  return {
    at,
    outcome,
    date: delay === "" ? undefined : at - parseInt(delay, 36),
    executionId: executionId === "" ? undefined : executionId,
    reason: reason === undefined ? undefined : JSON.parse(reason) as string,
  };
}

function firstLines(text: string, count: number): string {
  let end = -1;
  for (let line = 0; line < count; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) return text;
  }
  return text.slice(0, end);
}
