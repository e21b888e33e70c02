/** The last evaluations of a trigger: what it started, or why it started nothing. */
import type { Instant } from "../../base/time/clock.ts";
import { cutLogMessage } from "../executions/execution.ts";

type EvaluationOutcome = "STARTED" | "FAILED" | "SKIPPED";

/** One evaluation of a trigger. */
export interface Evaluation {
  readonly at: Instant;
  /** The evaluated date of a schedule. */
  readonly date?: Instant;
  readonly outcome: EvaluationOutcome;
  /** Why no execution was started, or why it failed. */
  readonly reason?: string;
  readonly executionId?: string;
}

/** Number of evaluations kept per trigger. */
export const MAX_EVALUATIONS = 20;
/** JSON bytes of a reason: with all escapes, the evaluations take at most half of the record of a trigger. */
const MAX_REASON_BYTES = 800;

const MARKS: Readonly<Record<EvaluationOutcome, string>> = { STARTED: "+", FAILED: "!", SKIPPED: "-" };
const OUTCOMES = new Map(
  Object.entries(MARKS).map(([outcome, mark]) => [mark, outcome as EvaluationOutcome]),
);
/** Outcome, time (base 36), delay after the date (base 36), execution id, reason as JSON. */
const LINE = /^([+!-])(-?[0-9a-z]+) (-?[0-9a-z]*) (\S*)(?: (.*))?$/;

/**
 * Evaluations, latest first, one line of text each. Adding one, which a schedule does at each of its dates, only joins
 * texts; a list of twenty objects would be copied and serialized again.
 */
export class Evaluations {
  /** No evaluations. */
  static readonly none = new Evaluations("");

  /** Stored form. */
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** From a list, latest first. */
  static of(evaluations: readonly Evaluation[]): Evaluations {
    return new Evaluations(evaluations.slice(0, MAX_EVALUATIONS).map(lineOf).join("\n"));
  }

  /** From the stored text, or from the list that earlier versions stored. */
  static read(stored: unknown): Evaluations {
    if (typeof stored === "string") return stored === "" ? Evaluations.none : new Evaluations(stored);
    return Array.isArray(stored) ? Evaluations.of(stored) : Evaluations.none;
  }

  /** The latest evaluation. */
  get latest(): Evaluation | undefined {
    const end = this.text.indexOf("\n");
    return evaluationOf(end < 0 ? this.text : this.text.slice(0, end));
  }

  /** Adds one; drops the oldest beyond {@link MAX_EVALUATIONS}. */
  with(evaluation: Evaluation): Evaluations {
    const line = lineOf(evaluation);
    return new Evaluations(
      this.text === "" ? line : `${line}\n${firstLines(this.text, MAX_EVALUATIONS - 1)}`,
    );
  }

  /** Like {@link with}, but replaces the latest if it was refused for the same reason, so that starts remain in the list. */
  withRefusal(refusal: Evaluation): Evaluations {
    const { latest } = this;
    const isRepeated = latest?.outcome === "SKIPPED" && latest.reason === bounded(refusal).reason;
    return isRepeated ? Evaluations.of([refusal, ...this.list().slice(1)]) : this.with(refusal);
  }

  /** All evaluations, latest first. */
  list(): Evaluation[] {
    return this.text.split("\n").map(evaluationOf).filter((each) => each !== undefined);
  }

  /** Used by `JSON.stringify`. */
  toJSON(): string {
    return this.text;
  }
}

/** An evaluation as it is stored: a long reason is cut. */
export function bounded(evaluation: Evaluation): Evaluation {
  const { reason } = evaluation;
  return reason === undefined
    ? evaluation
    : { ...evaluation, reason: cutLogMessage(reason, MAX_REASON_BYTES) };
}

function lineOf(evaluation: Evaluation): string {
  const { at, date, outcome, executionId = "", reason } = bounded(evaluation);
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
