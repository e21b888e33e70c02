/** Problems found by parsers and validators, which collect all of them. */

/** A part of a source text. Lines and columns count from 1. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  /** Characters, at least 1. */
  readonly length: number;
}

/** One problem of a source. */
export interface Problem {
  /** Stable name of the rule, for example `unknown_property`. */
  readonly code: string;
  /** What is wrong, why, and how to fix it. */
  readonly message: string;
  /** Path of the value, for example `tasks[0].message`; empty for the whole document. */
  readonly path: string;
  readonly range?: SourceRange;
  /** A flow with warnings can be saved. */
  readonly severity: "error" | "warning";
}
